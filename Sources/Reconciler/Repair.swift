import Model
import Registry

/// The repair of one device's registrations as a state machine: each event returns one action. It does no I/O and has neither a
/// clock nor a source of random numbers, so tests can interrupt it at every step.
///
/// It reads the registry, plans, saves its intent in the journal, makes the calls, waits for late failures, reads again, and
/// plans again until nothing is left that it can do. Then it requests the states of the added regions, passes on the
/// contradictions, and closes the journal. If it is killed at any point and started again with the last saved journal, it ends in
/// the same state.
public struct Repair: Sendable {
    /// The maximum number of attempts for one operation.
    public static let mostAttempts = 8
    /// The maximum number of attempts to read a snapshot or a state.
    public static let mostReadings = 5
    /// The maximum number of empty lists after a reboot that are not believed.
    public static let mostEmptyLists = 12
    /// The maximum number of plans that are carried out.
    public static let mostRounds = 24

    private enum Phase {
        case idle, reading, saving
        case performing(RegistryOperation)
        case recordingStates, finished
        /// Waiting; then the next step.
        case pausing(Next)
        enum Next { case read, perform }
    }

    private var context: DeviceContext
    let candidates: RegionCandidates
    private var journal: RegistryJournal
    /// The journal as it was last saved.
    private var stored: RegistryJournal
    private var phase = Phase.idle
    private var lastAction = Action.finish
    private var queue: [RegistryOperation] = []
    /// Whether the journal is being saved for the last time.
    private var isClosing = false
    /// Whether the repair has already waited before it tries failed operations again.
    private var hasWaited = false
    private var rounds = 0
    private var readings = 0
    /// The number of lists after a reboot that were not believed because they were empty.
    private var emptyLists = 0
    /// Seconds to wait between calls; 0 unless the operating system asked to slow down.
    private var pace = 0.0
    /// When the last successful `start` call returned in this round; its failure may still be reported.
    private var lastStartReturnedAt: Instant?
    /// The number of attempts for each operation, by verb and identifier.
    private var attempts: [String: Int] = [:]
    /// The error of a call that cannot succeed until the person grants a permission.
    private var refusal: RegistryError?
    private var assessment: Assessment?
    private var log = RepairLog()

    /// Creates a repair that has not begun. The journal is the one that was saved last.
    public init(of context: DeviceContext, candidates: RegionCandidates, journal: RegistryJournal) {
        self.context = context
        self.candidates = candidates
        self.journal = journal
        stored = journal
    }

    /// What the repair has found and done so far.
    public var report: RepairOutcome {
        let unknown = GeofenceHealthStatus.unknown(context, candidates)
        return log.report(after: assessment.map { GeofenceHealthStatus($0) } ?? unknown, unknown: unknown)
    }

    /// The operation that was tried last, and its outcome.
    var lastStep: RepairOutcome.Step? { log.steps.last }

    /// Handles one event and returns the next action. An event that does not answer the last action is ignored, and that action is returned
    /// again.
    public mutating func handle(
        _ event: Event, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> Action {
        switch (phase, event) {
        case (.idle, .begin):
            log.startedAt = now
            return enter(.reading, .read)
        case (.reading, .noAnswer): return retryReading(now, &random)
        case (.reading, .read(let snapshot)):
            readings = 0
            return planOperations(snapshot, now, &random)
        case (.saving, .saved):
            stored = journal
            return isClosing ? finish(now) : perform(now)
        case (.performing(let operation), .done(let state)): return handleSuccess(operation, state, now)
        case (.performing(let operation), .failed(let error)): return handleFailure(operation, error, now, &random)
        case (.pausing(.read), .woke): return enter(.reading, .read)
        case (.pausing(.perform), .woke): return perform(now)
        case (.recordingStates, .statesRecorded): return applyRecordedStates()
        default: return lastAction
        }
    }

    /// Enters a phase and returns its action.
    private mutating func enter(_ phase: Phase, _ action: Action) -> Action {
        self.phase = phase
        lastAction = action
        return action
    }

    // MARK: - Reading and planning

    private mutating func retryReading(_ now: Instant, _ random: inout some RandomNumberGenerator) -> Action {
        readings += 1
        // The repair gives up without an assessment. The journal keeps the unfinished operations, so the next repair resolves them.
        if readings >= Self.mostReadings {
            assessment = nil
            return close(now)
        }
        return enter(.pausing(.read), .wait(until: now + Backoff.delay(after: readings, using: &random)))
    }

    private mutating func planOperations(
        _ snapshot: RegistrySnapshot, _ now: Instant, _ random: inout some RandomNumberGenerator
    ) -> Action {
        if let end = journal.endOfEmptyList(in: snapshot, candidates.profile), end > now, emptyLists < Self.mostEmptyLists {
            emptyLists += 1
            let next = now + Backoff.delay(after: emptyLists, using: &random)
            return enter(.pausing(.read), .wait(until: min(next, end)))
        }
        journal.align(with: snapshot, candidates.profile)
        recordLateFailures(from: snapshot)
        let evaluated = Assessment(
            of: snapshot, in: context, candidates: candidates, journal: journal, intendedSentinel: assessment?.selection.sentinel)
        assessment = evaluated
        journal.updateNames(from: evaluated)
        journal.forgetRefusals(obsoleteIn: evaluated)
        if log.before == nil { log.before = GeofenceHealthStatus(evaluated) }

        let isHelpless = evaluated.blockingCause != nil || refusal != nil
        let plan = evaluated.plan.filter { operation in
            if attempts[operation.attemptKey, default: 0] >= Self.mostAttempts { return false }
            // While nothing can be added, nothing is removed to free a slot either. Only orphans are removed.
            return !isHelpless || operation.isOrphanRemoval
        }
        journal.forgetInterruptedReplacements(in: snapshot, besides: plan, candidates.profile)
        guard !plan.isEmpty, rounds < Self.mostRounds else { return requestStates(now, &random) }
        let tried = plan.map { attempts[$0.attemptKey, default: 0] }.max() ?? 0
        if tried > 0, !hasWaited {
            hasWaited = true
            return enter(.pausing(.read), .wait(until: now + Backoff.delay(after: tried, using: &random)))
        }
        hasWaited = false
        rounds += 1
        lastStartReturnedAt = nil
        queue = plan
        journal.recordIntent(plan, at: now)
        return enter(.saving, .save(journal))
    }

    /// Records the registrations that failed after their calls had returned.
    private mutating func recordLateFailures(from snapshot: RegistrySnapshot) {
        for failure in snapshot.failures {
            guard let region = log.markFailed(later: failure) else { continue }
            if FailureHandling(failure.error) == .waitForPerson { refusal = failure.error }
            storeAlternative(from: failure.error, for: region)
        }
    }

    /// Keeps the alternative region that the operating system proposed in an error.
    private mutating func storeAlternative(from error: RegistryError, for region: Region) {
        guard let number = candidates.number(of: region.id) else { return }
        let wanted = candidates.entries[number].region
        if let alternative = error.usableAlternative(to: wanted, candidates.profile) {
            journal.alternatives[region.id] = .init(wanted: wanted.circle, region: alternative)
        }
    }

    // MARK: - Calling

    private mutating func perform(_ now: Instant) -> Action {
        guard !queue.isEmpty else {
            let settled = lastStartReturnedAt.map { $0 + candidates.profile.latestFailure }
            if let settled, settled > now { return enter(.pausing(.read), .wait(until: settled)) }
            return enter(.reading, .read)
        }
        let operation = queue.removeFirst()
        return enter(.performing(operation), .perform(operation))
    }

    private mutating func handleSuccess(_ operation: RegistryOperation, _ state: RegionState?, _ now: Instant) -> Action {
        log.steps.append(.init(operation: operation, outcome: .done, error: nil, at: now))
        if case .requestState(let id) = operation.kind {
            recordState(state ?? .unknown, of: id, now)
            return requestNextState(now)
        }
        attempts[operation.attemptKey, default: 0] += 1
        if case .start = operation.kind { lastStartReturnedAt = now }
        journal.recordSuccess(operation, at: now)
        return pace > 0 && !queue.isEmpty ? enter(.pausing(.perform), .wait(until: now + pace)) : perform(now)
    }

    private mutating func handleFailure(
        _ operation: RegistryOperation, _ error: RegistryError, _ now: Instant, _ random: inout some RandomNumberGenerator
    ) -> Action {
        log.steps.append(.init(operation: operation, outcome: .failed, error: error, at: now))
        attempts[operation.attemptKey, default: 0] += 1
        let tried = attempts[operation.attemptKey, default: 0]
        guard case .start(let region) = operation.kind else {
            if case .requestState = operation.kind { return requestNextState(now) }
            return abandonQueue(operation, now)
        }
        journal.recordRefusal(operation, error, at: now)
        // The error concerns the app as a whole, so it is also the answer to the calls that are not made because of it.
        if error.concernsAllRegions { for waiting in queue { journal.recordRefusal(waiting, error, at: now) } }
        switch FailureHandling(error) {
        case .slowDown:
            pace = min(max(1, pace * 2), 30)
            if tried >= Self.mostAttempts { return abandonQueue(operation, now) }
            queue.insert(operation, at: 0)
            return enter(.pausing(.perform), .wait(until: now + max(pace, Backoff.delay(after: tried, using: &random))))
        case .waitForPerson:
            refusal = error
            return abandonQueue(operation, now)
        case .replan:
            if !candidates.profile.isReadable && tried == 1 {
                // A single refusal is not enough evidence, because the learned limit applies for a whole day. Try once more.
                queue.insert(operation, at: 0)
                return enter(.pausing(.perform), .wait(until: now + Backoff.delay(after: tried, using: &random)))
            }
            journal.recordAbandonment(operation)
            if !candidates.profile.isReadable { learnCapacity(now) }
            return abandonQueue(nil, now)
        case .backOff:
            storeAlternative(from: error, for: region)
            // If location services or the registry are unavailable, the next call would fail as well. Without the sentinel, nothing may be
            // removed to free a slot.
            if error.code == .geofenceNotAvailable || error.code == .unavailable || region.id == .sentinel {
                return abandonQueue(operation, now)
            }
        case .giveUp:
            attempts[operation.attemptKey] = Self.mostAttempts
            if region.id == .sentinel { return abandonQueue(operation, now) }
        }
        journal.recordAbandonment(operation)
        return perform(now)
    }

    /// Abandons the rest of the queue, so that the registry is read again.
    private mutating func abandonQueue(_ operation: RegistryOperation?, _ now: Instant) -> Action {
        if let operation { journal.recordAbandonment(operation) }
        for operation in queue { journal.recordAbandonment(operation) }
        queue = []
        return perform(now)
    }

    /// The operating system is full: the number of regions that it holds is its limit. Each further refusal lowers the limit by one.
    private mutating func learnCapacity(_ now: Instant) {
        let held = journal.entries.values.count { $0.phase != .starting || $0.previous != nil }
        let count = journal.capacity.map { min(held, $0.count - 1) } ?? held
        journal.capacity = .init(count: max(0, count), at: now)
    }

    // MARK: - Requesting states

    /// Requests the states of all regions that were added and whose state is not known yet.
    private mutating func requestStates(_ now: Instant, _ random: inout some RandomNumberGenerator) -> Action {
        let isHelpless = assessment?.blockingCause != nil || refusal != nil
        if candidates.profile.supportsStateRequests && !isHelpless {
            // The state of a region that is not monitored is unknown until it is.
            let unmonitored = assessment?.snapshot.unmonitored ?? []
            func isUnknown(_ entry: RegistryJournal.Registration) -> Bool {
                entry.phase == .registered && !entry.isStateKnown && !unmonitored.contains(entry.region.id)
            }
            for (id, entry) in journal.entries where isUnknown(entry) {
                if context.impliesState(of: entry.region, at: entry.addedAt, candidates.profile) {
                    journal.entries[id]?.isStateKnown = true
                }
            }
            queue = journal.entries.values.filter(isUnknown)
                .map { RegistryOperation(.requestState($0.region.id), name: $0.name, reason: .stateUnknown) }
                .filter { attempts[$0.attemptKey, default: 0] < Self.mostReadings }.sorted { $0.id < $1.id }
            let tried = queue.map { attempts[$0.attemptKey, default: 0] }.max() ?? 0
            if tried > 0, !hasWaited {
                hasWaited = true
                return enter(.pausing(.read), .wait(until: now + Backoff.delay(after: tried, using: &random)))
            }
            hasWaited = false
        } else {
            queue = []
        }
        return requestNextState(now)
    }

    private mutating func requestNextState(_ now: Instant) -> Action {
        if !queue.isEmpty {
            let operation = queue.removeFirst()
            return enter(.performing(operation), .perform(operation))
        }
        let unanswered = journal.entries.values.contains {
            guard $0.phase == .registered, !$0.isStateKnown else { return false }
            let tried = attempts["requestState " + $0.region.id.text, default: 0]
            return tried > 0 && tried < Self.mostReadings
        }
        if unanswered { return enter(.reading, .read) }
        return log.notHandedOut.isEmpty ? close(now) : enter(.recordingStates, .recordStates(log.notHandedOut))
    }

    /// Updates the open visits after the contradictions were recorded, and plans again, because the open visits influence the selection.
    private mutating func applyRecordedStates() -> Action {
        for state in log.notHandedOut { context.apply(state) }
        log.handedOutCount = log.reconciled.count
        return enter(.reading, .read)
    }

    /// Records the answer to a state request.
    private mutating func recordState(_ state: RegionState, of id: RegionID, _ now: Instant) {
        journal.entries[id]?.isStateKnown = true
        guard state != .unknown else { return }
        journal.reportedStates[id] = .init(state: state, at: now)
        if id == .sentinel { log.needsFix = log.needsFix || state == .outside }
        if let contradiction = context.contradiction(of: state, of: id, at: now) { log.reconciled.append(contradiction) }
    }

    // MARK: - Ending

    private mutating func close(_ now: Instant) -> Action {
        isClosing = true
        if let assessment, assessment.missing.isEmpty { journal.isDistrusted = false }
        return journal == stored ? finish(now) : enter(.saving, .save(journal))
    }

    private mutating func finish(_ now: Instant) -> Action {
        log.finishedAt = now
        return enter(.finished, .finish)
    }
}

extension RegistryOperation {
    fileprivate var attemptKey: String { verb + " " + id.text }

    fileprivate var isOrphanRemoval: Bool {
        if case .stop = kind, case .finding(.orphaned, _) = reason { true } else { false }
    }
}
