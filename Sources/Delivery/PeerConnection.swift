import Model

/// The connection to one peer (a sink, a broker, a running service), and when to try it again. A pure state machine: events, the
/// time and random numbers go in; actions come out. The caller sends, waits and tells.
///
/// - Before each send, `begin(at:)` says whether it may go ahead. While the connection works, any number of sends may be under way at
///   once; while it does not, one at a time.
/// - `record(_:of:at:using:)` takes the outcome. A long-lived connection (a stream, a broker) records a success when it is up, and
///   later, of the same attempt, the failure that ended it.
/// - Waits are those of `Backoff`. A failure of five attempts to reconnect in a row makes the state `degraded`.
/// - `Retry-After` makes a wait longer, and nothing ends such a wait early.
public struct PeerConnection: Sendable {
    /// So many attempts to reconnect fail before the state is `degraded`.
    public static let maxAttempts = 5
    /// The longest `Retry-After` that is followed, in seconds: a day. A longer one would silence a sink for good.
    public static let longestRetryAfter = 86_400.0
    /// When something ends a wait early, attempts still begin at least so many seconds after the last failure.
    public static let shortestWait = 1.0

    /// What the caller does next.
    public enum Action: Hashable, Sendable {
        /// Call `timerFired(at:)` at that moment. It replaces the moment of an earlier `wait`; a timer that fires all the same does no
        /// harm.
        case wait(until: Instant)
        /// An attempt may begin now.
        case attempt
        /// The status has changed, otherwise than by an attempt that began: tell it to people.
        case announce(ConnectionStatus)
        /// The connection works again: call `peerRecovered(at:)` of the others.
        case wakeOthers
    }

    /// One send, or one long-lived connection.
    public struct Attempt: Hashable, Sendable {
        /// How many failures had been counted when it began.
        fileprivate var generation: Int
    }

    /// What is shown of it.
    public private(set) var status: ConnectionStatus
    /// Failures in a row that were counted; 0 when connected.
    private var failures = 0
    /// Grows with each counted failure, pause and resumption. Sends that began together fail together, and only the first failure
    /// counts: the others belong to an earlier generation by then.
    private var generation = 0
    private var isAttempting = false
    /// Something ended the wait while an attempt was already under way. Should it fail, the next one comes soon.
    private var isWoken = false
    private var lastFailure: Instant
    /// The end of `Retry-After`.
    private var notBefore: Instant?

    /// A connection that has not been tried yet.
    public init(at now: Instant) {
        status = ConnectionStatus(state: .connected, since: now)
        lastFailure = now
    }

    /// One that was paused before.
    ///
    /// - Parameter problem: Why; nil when a person paused it.
    public init(pausedBy problem: Problem?, since: Instant) {
        status = ConnectionStatus(state: .paused(problem), since: since, problem: problem)
        lastFailure = since
    }

    // MARK: - Sends

    /// Begins a send if it may go ahead now; else nil.
    public mutating func begin(at now: Instant) -> Attempt? {
        if case .connected = status.state { return Attempt(generation: generation) }
        guard let due = due(at: now), due <= now else { return nil }
        isAttempting = true
        status.nextAttemptAt = nil
        return Attempt(generation: generation)
    }

    /// Takes the outcome of a send.
    public mutating func record(
        _ outcome: DeliveryOutcome, of attempt: Attempt, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        if case .paused = status.state { return [] }
        let isLatest = attempt.generation == generation
        switch outcome {
        case .delivered, .park: return succeed(now)
        case .retry(let problem, let seconds):
            return isLatest ? fail(problem, after: seconds, now, &random) : extendWait(after: seconds, now)
        case .pause(let problem): return isLatest ? pause(by: problem, now) : []
        }
    }

    private mutating func succeed(_ now: Instant) -> [Action] {
        guard failures > 0 else { return [] }
        reset()
        enter(.connected, now, problem: nil)
        return [.announce(status), .wakeOthers]
    }

    private mutating func fail(
        _ problem: Problem, after seconds: Double?, _ now: Instant, _ random: inout some RandomNumberGenerator
    ) -> [Action] {
        let (count, woken, end) = (failures + 1, isWoken, notBefore)
        reset()
        failures = count
        generation += 1
        lastFailure = now
        var delay = Backoff.delay(after: failures, using: &random)
        if woken { delay = min(delay, Self.shortestWait) }
        notBefore = [end, Self.end(ofRetryAfter: seconds, now)].compactMap { $0 }.max()
        enter(lost, now, problem: problem)
        let due = max(now + delay, notBefore ?? now)
        status.nextAttemptAt = due
        return [.announce(status), .wait(until: due)]
    }

    /// Of sends that failed together, one may bring a `Retry-After` after another was counted.
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

    /// The moment of the last `wait` has come.
    public mutating func timerFired(at now: Instant) -> [Action] {
        guard let due = due(at: now) else { return [] }
        return [due <= now ? .attempt : .wait(until: due)]
    }

    /// The machine's network came back: the wait ends, and attempts are counted anew.
    public mutating func networkReturned(at now: Instant) -> [Action] {
        guard failures > 0, !isTurnedAway(now) else { return [] }
        let before = status
        failures = 1
        enter(lost, now, problem: status.problem)
        return wake(now, from: before)
    }

    /// Another peer answers again after a failure, so the fault may have been a common one: the wait ends.
    public mutating func peerRecovered(at now: Instant) -> [Action] {
        guard failures > 0, !isTurnedAway(now) else { return [] }
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

    /// Whether the peer asked to be left alone for longer.
    private func isTurnedAway(_ now: Instant) -> Bool { notBefore.map { $0 > now } ?? false }

    /// When the next attempt begins; nil when none is waited for. A wait keeps its length when the clock is set back.
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

    /// A person pauses it. A pause that stands keeps its reason.
    public mutating func pause(at now: Instant) -> [Action] {
        if case .paused = status.state { return [] }
        return pause(by: nil, now)
    }

    private mutating func pause(by problem: Problem?, _ now: Instant) -> [Action] {
        reset()
        generation += 1
        enter(.paused(problem), now, problem: problem)
        return [.announce(status)]
    }

    /// A person resumes it. After a problem the connection counts as lost until an attempt succeeds.
    public mutating func resume(at now: Instant) -> [Action] {
        guard case .paused(let problem) = status.state else { return [] }
        generation += 1
        guard problem != nil else {
            enter(.connected, now, problem: nil)
            return [.announce(status), .attempt]
        }
        failures = 1
        lastFailure = now
        enter(lost, now, problem: problem)
        status.nextAttemptAt = now
        return [.announce(status), .attempt]
    }

    // MARK: -

    private var lost: ConnectionState {
        failures > Self.maxAttempts
            ? .degraded(attempt: failures) : .reconnecting(attempt: failures, maxAttempts: Self.maxAttempts)
    }

    private mutating func enter(_ state: ConnectionState, _ now: Instant, problem: Problem?) {
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
