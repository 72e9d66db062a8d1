import Model
import Registry

/// The repair of one device as a state machine: events in, one action out. No I/O, no clock, no chance of its own, so a test can
/// kill it at every step.
///
/// It reads, plans, writes its intent into the journal, makes the calls, waits for late failures, reads back and plans again until
/// nothing is left to do or nothing more can be done, asks for the states of what it added, hands out what they contradict, and
/// closes the journal. Killed anywhere and begun anew with the journal as it was last saved, it ends in the same place.
public struct Repair: Sendable {
    /// So often an operation is tried before it is left.
    public static let mostAttempts = 8
    /// So often a snapshot, or a state, is asked for in vain.
    public static let mostReadings = 5
    /// So many times it plans at most.
    public static let mostRounds = 24

    private enum Phase {
        case idle, reading, saving, performing(RegistryOperation), telling, finished
        /// Waiting, and what follows.
        case pausing(Next)
        enum Next { case read, perform }
    }

    private var context: DeviceContext
    let catalogue: FenceCatalogue
    private var journal: RegistryJournal
    /// As it was last saved.
    private var stored: RegistryJournal
    private var phase = Phase.idle
    private var lastAction = Action.finish
    private var queue: [RegistryOperation] = []
    private var isClosing = false
    private var hasRested = false
    private var rounds = 0
    private var readings = 0
    private var pace = 0.0
    private var lastStart: Instant?
    /// How often each operation was tried, by verb and identifier.
    private var attempts: [String: Int] = [:]
    /// Whom the system refused until a person acts.
    private var refusal: RegistryError?
    private var assessment: Assessment?
    private var log = RepairLog()

    public init(_ context: DeviceContext, _ catalogue: FenceCatalogue, _ journal: RegistryJournal) {
        self.context = context
        self.catalogue = catalogue
        self.journal = journal
        stored = journal
    }

    /// What it found and did, so far.
    public var report: RepairReport {
        let unknown = GeofenceHealthStatus.unknown(context, catalogue)
        return log.report(after: assessment.map { GeofenceHealthStatus($0) } ?? unknown, unknown: unknown)
    }

    /// The operation that was tried last, and what came of it.
    var lastStep: RepairReport.Step? { log.steps.last }

    /// Takes one event and says what to do next. An event that does not answer the last action is not taken: the action is said
    /// again.
    public mutating func handle(
        _ event: Event, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> Action {
        switch (phase, event) {
        case (.idle, .begin):
            log.startedAt = now
            return go(.reading, .read)
        case (.reading, .noAnswer): return unanswered(now, &random)
        case (.reading, .read(let snapshot)):
            readings = 0
            return judge(snapshot, now, &random)
        case (.saving, .saved):
            stored = journal
            return isClosing ? finish(now) : perform(now)
        case (.performing(let operation), .done(let state)): return done(operation, state, now, &random)
        case (.performing(let operation), .failed(let error)): return failed(operation, error, now, &random)
        case (.pausing(.read), .woke): return go(.reading, .read)
        case (.pausing(.perform), .woke): return perform(now)
        case (.telling, .told): return told()
        default: return lastAction
        }
    }

    private mutating func go(_ phase: Phase, _ action: Action) -> Action {
        self.phase = phase
        lastAction = action
        return action
    }

    // MARK: - Reading and planning

    private mutating func unanswered(_ now: Instant, _ random: inout some RandomNumberGenerator) -> Action {
        readings += 1
        // What was done is in doubt then, and the journal says so.
        if readings >= Self.mostReadings {
            assessment = nil
            return close(now)
        }
        return go(.pausing(.read), .wait(until: now + Backoff.delay(after: readings, using: &random)))
    }

    private mutating func judge(
        _ snapshot: RegistrySnapshot, _ now: Instant, _ random: inout some RandomNumberGenerator
    ) -> Action {
        journal.align(with: snapshot, catalogue.profile)
        learn(from: snapshot)
        let judged = Assessment(snapshot, context, catalogue, journal)
        assessment = judged
        journal.name(by: judged)
        if log.before == nil { log.before = GeofenceHealthStatus(judged) }

        let isHelpless = judged.blocked != nil || refusal != nil
        let plan = judged.plan.filter { operation in
            if attempts[operation.key, default: 0] >= Self.mostAttempts { return false }
            // Without a person nothing can be added, and so nothing that is wanted makes way; what is orphaned can still go.
            return !isHelpless || operation.isOrphanRemoval
        }
        guard !plan.isEmpty, rounds < Self.mostRounds else { return ask(now, &random) }
        let tried = plan.map { attempts[$0.key, default: 0] }.max() ?? 0
        if tried > 0, !hasRested {
            hasRested = true
            return go(.pausing(.read), .wait(until: now + Backoff.delay(after: tried, using: &random)))
        }
        hasRested = false
        rounds += 1
        lastStart = nil
        queue = plan
        journal.intend(plan, at: now)
        return go(.saving, .save(journal))
    }

    /// Takes in what failed after its call had returned.
    private mutating func learn(from snapshot: RegistrySnapshot) {
        for failure in snapshot.failures {
            guard let region = log.failed(later: failure) else { continue }
            if FailureHandling(failure.error) == .person { refusal = failure.error }
            accept(failure.error, for: region)
        }
    }

    /// Remembers the region that the system would rather watch.
    private mutating func accept(_ error: RegistryError, for region: Region) {
        guard let number = catalogue.number(of: region.id) else { return }
        let wanted = catalogue.entries[number].region
        if let alternative = error.usableAlternative(to: wanted, catalogue.profile) {
            journal.alternatives[region.id] = .init(wanted: wanted.circle, region: alternative)
        }
    }

    // MARK: - Calling

    private mutating func perform(_ now: Instant) -> Action {
        guard !queue.isEmpty else {
            let settled = lastStart.map { $0 + catalogue.profile.latestFailure }
            if let settled, settled > now { return go(.pausing(.read), .wait(until: settled)) }
            return go(.reading, .read)
        }
        let operation = queue.removeFirst()
        return go(.performing(operation), .perform(operation))
    }

    private mutating func done(
        _ operation: RegistryOperation, _ state: RegionState?, _ now: Instant, _ random: inout some RandomNumberGenerator
    ) -> Action {
        log.steps.append(.init(operation: operation, outcome: .done, error: nil, at: now))
        if case .requestState(let id) = operation.kind {
            heard(state ?? .unknown, of: id, now)
            return askNext(now)
        }
        attempts[operation.key, default: 0] += 1
        if case .start = operation.kind { lastStart = now }
        journal.finished(operation, at: now)
        return pace > 0 && !queue.isEmpty ? go(.pausing(.perform), .wait(until: now + pace)) : perform(now)
    }

    private mutating func failed(
        _ operation: RegistryOperation, _ error: RegistryError, _ now: Instant, _ random: inout some RandomNumberGenerator
    ) -> Action {
        log.steps.append(.init(operation: operation, outcome: .failed, error: error, at: now))
        attempts[operation.key, default: 0] += 1
        let tried = attempts[operation.key, default: 0]
        guard case .start(let region) = operation.kind else {
            if case .requestState = operation.kind { return askNext(now) }
            return breakOff(operation, now)
        }
        switch FailureHandling(error) {
        case .slowDown:
            pace = min(max(1, pace * 2), 30)
            if tried >= Self.mostAttempts { return breakOff(operation, now) }
            queue.insert(operation, at: 0)
            return go(.pausing(.perform), .wait(until: now + max(pace, Backoff.delay(after: tried, using: &random))))
        case .person:
            refusal = error
            return breakOff(operation, now)
        case .replan:
            if !catalogue.profile.isReadable && tried == 1 {
                // What one refusal teaches lasts a day, so it has to be said twice.
                queue.insert(operation, at: 0)
                return go(.pausing(.perform), .wait(until: now + Backoff.delay(after: tried, using: &random)))
            }
            journal.abandoned(operation)
            if !catalogue.profile.isReadable { learnRoom(now) }
            return breakOff(nil, now)
        case .backOff:
            accept(error, for: region)
            // What cannot be had now cannot be had for the next one either; and without the sentinel nothing may give way.
            if error.code == .geofenceNotAvailable || error.code == .unavailable || region.id == .sentinel {
                return breakOff(operation, now)
            }
        case .giveUp:
            attempts[operation.key] = Self.mostAttempts
            if region.id == .sentinel { return breakOff(operation, now) }
        }
        journal.abandoned(operation)
        return perform(now)
    }

    /// Leaves the rest of the queue undone and reads anew.
    private mutating func breakOff(_ operation: RegistryOperation?, _ now: Instant) -> Action {
        if let operation { journal.abandoned(operation) }
        for operation in queue { journal.abandoned(operation) }
        queue = []
        return perform(now)
    }

    /// The system was full: what it holds of ours is all that it takes, and each time it says so again, one less.
    private mutating func learnRoom(_ now: Instant) {
        let held = journal.entries.values.count { $0.phase != .starting || $0.previous != nil }
        let count = journal.room.map { min(held, $0.count - 1) } ?? held
        journal.room = .init(count: max(0, count), at: now)
    }

    // MARK: - States

    /// Asks for the states of what was added since the last repair that came this far.
    private mutating func ask(_ now: Instant, _ random: inout some RandomNumberGenerator) -> Action {
        let isHelpless = assessment?.blocked != nil || refusal != nil
        if catalogue.profile.canTellState && !isHelpless {
            queue = journal.entries.values.filter { $0.phase == .registered && !$0.isStateKnown }
                .map { RegistryOperation(.requestState($0.region.id), name: $0.name, reason: .added) }
                .filter { attempts[$0.key, default: 0] < Self.mostReadings }.sorted { $0.id < $1.id }
            let tried = queue.map { attempts[$0.key, default: 0] }.max() ?? 0
            if tried > 0, !hasRested {
                hasRested = true
                return go(.pausing(.read), .wait(until: now + Backoff.delay(after: tried, using: &random)))
            }
            hasRested = false
        } else {
            queue = []
        }
        return askNext(now)
    }

    private mutating func askNext(_ now: Instant) -> Action {
        if !queue.isEmpty {
            let operation = queue.removeFirst()
            return go(.performing(operation), .perform(operation))
        }
        let unanswered = journal.entries.values.contains {
            guard $0.phase == .registered, !$0.isStateKnown else { return false }
            let tried = attempts["requestState " + $0.region.id.text, default: 0]
            return tried > 0 && tried < Self.mostReadings
        }
        if unanswered { return go(.reading, .read) }
        return log.untold.isEmpty ? close(now) : go(.telling, .tell(log.untold))
    }

    /// What the device is in has changed, and with it what has to be registered: plan once more.
    private mutating func told() -> Action {
        for state in log.untold {
            if state.state == .inside {
                context.openVisits.insert(state.geofenceID)
            } else {
                context.openVisits.remove(state.geofenceID)
            }
        }
        log.toldCount = log.reconciled.count
        return go(.reading, .read)
    }

    private mutating func heard(_ state: RegionState, of id: RegionID, _ now: Instant) {
        journal.entries[id]?.isStateKnown = true
        guard state != .unknown else { return }
        journal.told[id] = .init(state: state, at: now)
        if id == .sentinel { log.needsFix = log.needsFix || state == .outside }
        if let contradiction = context.contradiction(of: state, of: id, at: now) { log.reconciled.append(contradiction) }
    }

    // MARK: - Ending

    private mutating func close(_ now: Instant) -> Action {
        isClosing = true
        return journal == stored ? finish(now) : go(.saving, .save(journal))
    }

    private mutating func finish(_ now: Instant) -> Action {
        log.finishedAt = now
        return go(.finished, .finish)
    }
}

extension RegistryOperation {
    fileprivate var key: String { verb + " " + id.text }

    fileprivate var isOrphanRemoval: Bool {
        if case .stop = kind, case .finding(.orphaned, _) = reason { true } else { false }
    }
}
