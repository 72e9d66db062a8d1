import Model

/// The connection to one peer (a sink, a broker, a running service), and when to try it again. A pure state machine: events, times and
/// random numbers go in, and actions come out. The caller sends, waits and reports.
///
/// - Before each send the caller asks `begin(at:)`. While the connection works, any number of sends may run at once; otherwise one at a
///   time.
/// - `record(_:of:at:using:)` takes the outcome. A long-lived connection (a stream, a broker) records a success when it is up, and later,
///   for the same attempt, the failure that ended it.
/// - Waits follow `Backoff`. After five failed attempts in a row the state is `degraded`.
/// - `Retry-After` makes a wait longer, and such a wait does not end early.
/// - A refusal (`DeliveryOutcome.pause`) is retried like any other failure, because a proxy that restarts may refuse everything for a
///   moment. Only a peer that refuses for `refusalPatience` pauses the connection. From then on one send each `probeInterval` finds out
///   whether the peer accepts again.
package struct PeerConnection: Sendable {
    /// The number of failed attempts to reconnect after which the state is `degraded`.
    package static let maxAttempts = 5
    /// The longest `Retry-After` that is respected, in seconds: one hour.
    package static let longestRetryAfter = 3600.0
    /// The number of refusals without a success between them, and the seconds from the first to the last of them, that pause a connection.
    package static let refusalPatience = (count: 10, seconds: 900.0)
    /// Seconds between two attempts of a connection that is paused by refusals.
    package static let probeInterval = 3600.0
    /// The minimum number of seconds between a failure and the next attempt when a wait ends early.
    package static let shortestWait = 1.0

    /// What the caller has to do next.
    package enum Action: Hashable, Sendable {
        /// Call `timerFired(at:)` at this moment. It replaces the moment of an earlier `wait`; an extra call does no harm.
        case wait(until: Instant)
        /// An attempt may begin now.
        case attempt
        /// Publish the changed status. The start of an attempt is not published.
        case announce(ConnectionStatus)
        /// The connection works again. Call `peerRecovered(at:)` of the other connections.
        case wakeOthers
    }

    /// One send, or one long-lived connection.
    package struct Attempt: Hashable, Sendable {
        /// The value of `PeerConnection.generation` when the attempt began.
        fileprivate var generation: Int
    }

    /// The status to show.
    package private(set) var status: ConnectionStatus
    /// The number of counted failures in a row; 0 when connected.
    private var failures = 0
    /// Grows with each counted failure, pause and resumption. When concurrent sends fail together, only the first failure counts,
    /// because the others began before it (see `generation`).
    private var generation = 0
    private var isAttempting = false
    /// Whether an event that ends waits came during an attempt. If that attempt fails, the next one follows soon.
    private var isWoken = false
    private var lastFailure: Instant
    /// The refusals since the last success: how many, and when the first was; nil if there were none.
    private var refusals: (count: Int, first: Instant)?
    /// The end of the latest `Retry-After`.
    private var notBefore: Instant?

    /// A connection that has not been tried yet.
    package init(at now: Instant) {
        status = ConnectionStatus(state: .connected, since: now)
        lastFailure = now
    }

    /// A connection that was stored as paused.
    ///
    /// - Parameter problem: The reason; nil when a person paused it.
    package init(pausedBy problem: Problem?, since: Instant) {
        let due = problem == nil ? nil : since + Self.probeInterval
        status = ConnectionStatus(state: .paused(problem), since: since, nextAttemptAt: due, problem: problem)
        lastFailure = since
    }

    // MARK: - Sends

    /// Whether a send may begin now.
    package mutating func mayBegin(at now: Instant) -> Bool {
        if case .connected = status.state { return true }
        return due(at: now).map { $0 <= now } ?? false
    }

    /// Begins a send; nil if none may begin now.
    package mutating func begin(at now: Instant) -> Attempt? {
        guard mayBegin(at: now) else { return nil }
        if status.state != .connected {
            isAttempting = true
            status.nextAttemptAt = nil
        }
        return Attempt(generation: generation)
    }

    /// Records the outcome of a send.
    package mutating func record(
        _ outcome: DeliveryOutcome, of attempt: Attempt, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        if status.state == .paused(nil) { return [] }
        let isLatest = attempt.generation == generation
        switch outcome {
        case .delivered, .reject: return recordSuccess(at: now)
        case .retry(let problem, let seconds):
            return isLatest ? recordFailure(problem, after: seconds, at: now, using: &random) : extendWait(after: seconds, now)
        case .pause(let problem):
            guard isLatest else { return [] }
            refusals = (count: (refusals?.count ?? 0) + 1, first: refusals?.first ?? now)
            return recordFailure(problem, isRefusal: true, after: nil, at: now, using: &random)
        }
    }

    private mutating func recordSuccess(at now: Instant) -> [Action] {
        if status.state == .connected { return [] }
        reset()
        refusals = nil
        setState(.connected, at: now, problem: nil)
        return [.announce(status), .wakeOthers]
    }

    private mutating func recordFailure(
        _ problem: Problem, isRefusal: Bool = false, after seconds: Double?, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        if case .paused(let reason?) = status.state { return pause(by: isRefusal ? problem : reason, now) }
        // The absolute value handles a clock that was set back.
        if isRefusal, let refusals, refusals.count >= Self.refusalPatience.count,
            abs(now - refusals.first) >= Self.refusalPatience.seconds
        {
            return pause(by: problem, now)
        }
        let (count, woken, end) = (failures + 1, isWoken, notBefore)
        reset()
        failures = count
        generation += 1
        lastFailure = now
        var delay = Backoff.delay(after: failures, using: &random)
        if woken { delay = min(delay, Self.shortestWait) }
        notBefore = [end, Self.end(ofRetryAfter: seconds, now)].compactMap { $0 }.max()
        setState(lostState, at: now, problem: problem)
        let due = max(now + delay, notBefore ?? now)
        status.nextAttemptAt = due
        return [.announce(status), .wait(until: due)]
    }

    /// Applies the `Retry-After` of a failure that is not counted, because a concurrent send failed first.
    private mutating func extendWait(after seconds: Double?, _ now: Instant) -> [Action] {
        guard failures > 0, let end = Self.end(ofRetryAfter: seconds, now) else { return [] }
        notBefore = max(notBefore ?? end, end)
        guard let due = due(at: now), due < end else { return [] }
        status.nextAttemptAt = end
        return [.announce(status), .wait(until: end)]
    }

    private static func end(ofRetryAfter seconds: Double?, _ now: Instant) -> Instant? {
        seconds.map { now + min(max($0, 0), longestRetryAfter) }
    }

    // MARK: - Waits

    /// Handles the moment of the last `wait`.
    package mutating func timerFired(at now: Instant) -> [Action] {
        guard let due = due(at: now) else { return [] }
        return [due <= now ? .attempt : .wait(until: due)]
    }

    /// Ends the wait because the machine's network is back. Attempts are counted from 1 again.
    package mutating func networkReturned(at now: Instant) -> [Action] {
        guard failures > 0, !mustWait(at: now) else { return [] }
        let before = status
        failures = 1
        setState(lostState, at: now, problem: status.problem)
        return wake(now, from: before)
    }

    /// Ends the wait because another peer works again, so that a common cause may be gone.
    package mutating func peerRecovered(at now: Instant) -> [Action] {
        guard failures > 0, !mustWait(at: now) else { return [] }
        return wake(now, from: status)
    }

    private mutating func wake(_ now: Instant, from before: ConnectionStatus) -> [Action] {
        if isAttempting { isWoken = true }
        var next: [Action] = []
        if let due = due(at: now) {
            let soon = min(due, max(now, lastFailure + Self.shortestWait))
            status.nextAttemptAt = soon
            next = [soon <= now ? .attempt : .wait(until: soon)]
        }
        return status == before ? next : [.announce(status)] + next
    }

    /// Whether a `Retry-After` of the peer has not passed yet.
    private func mustWait(at now: Instant) -> Bool { notBefore.map { $0 > now } ?? false }

    /// When the next attempt begins; nil when none is planned. If the clock was set back, the moment moves with it, so that the wait keeps
    /// its length.
    private mutating func due(at now: Instant) -> Instant? {
        guard let due = status.nextAttemptAt else { return nil }
        guard now < lastFailure else { return due }
        let shift = now - lastFailure
        lastFailure = now
        notBefore = notBefore.map { $0 + shift }
        status.nextAttemptAt = due + shift
        return status.nextAttemptAt
    }

    // MARK: - Pauses

    /// Pauses the connection on behalf of a person. Nothing is sent until the person resumes it.
    package mutating func pause(at now: Instant) -> [Action] { status.state == .paused(nil) ? [] : pause(by: nil, now) }

    private mutating func pause(by problem: Problem?, _ now: Instant) -> [Action] {
        reset()
        generation += 1
        lastFailure = now
        setState(.paused(problem), at: now, problem: problem)
        guard problem != nil else { return [.announce(status)] }
        let due = now + Self.probeInterval
        status.nextAttemptAt = due
        return [.announce(status), .wait(until: due)]
    }

    /// Resumes the connection on behalf of a person. After a problem the connection counts as lost until an attempt succeeds.
    package mutating func resume(at now: Instant) -> [Action] {
        guard case .paused(let problem) = status.state else { return [] }
        reset()
        refusals = nil
        generation += 1
        guard problem != nil else {
            setState(.connected, at: now, problem: nil)
            return [.announce(status), .attempt]
        }
        failures = 1
        lastFailure = now
        setState(lostState, at: now, problem: problem)
        status.nextAttemptAt = now
        return [.announce(status), .attempt]
    }

    // MARK: -

    private var lostState: ConnectionState {
        failures > Self.maxAttempts
            ? .degraded(attempt: failures) : .reconnecting(attempt: failures, maxAttempts: Self.maxAttempts)
    }

    private mutating func setState(_ state: ConnectionState, at now: Instant, problem: Problem?) {
        if state.name != status.state.name { status.since = now }
        status.state = state
        status.problem = problem
    }

    private mutating func reset() {
        failures = 0
        isAttempting = false
        isWoken = false
        notBefore = nil
        status.nextAttemptAt = nil
    }
}
