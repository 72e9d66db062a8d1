import Core
import Model
import Monitor
import Places
import Store
import Timeline

extension ServiceWriter {
    // MARK: - Waiting fixes

    /// Records a late fix that was stored.
    ///
    /// - Returns: Whether the fix waits for a replay. It does not if positions of the device are not kept.
    func recordLateFix(
        _ fix: Fix, ofDeviceAt deviceIndex: Int, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) -> Bool {
        let key = loadedDevices[deviceIndex].key
        // The health of a phone with OwnTracks depends on its recent positions.
        effects.health.insert(key)
        guard keepsPositions(ofDeviceAt: deviceIndex) else {
            interruptReplay(ofDevice: key)
            return false
        }
        try readReplays()
        try store.requestReplay(of: key, from: fix.time, in: transaction)
        replays?.recordLateFix(of: key, at: now)
        recordNewFix(at: fix.time, ofDevice: key)
        return true
    }

    private func readReplays() throws(Problem) {
        if replays == nil { replays = ReplayQueue(try store.pendingReplays().map(\.device), at: clock.now()) }
    }

    /// The time of the earliest late fix of a device that waits and can be evaluated; nil if there is none.
    package func startOfPendingReplay(of key: DeviceKey) throws(Problem) -> Instant? {
        guard let waiting = try store.unevaluatedPositions(of: key) else { return nil }
        if waiting.cause == .pending { return waiting.since }
        // The fixes after the oldest checkpoint can be evaluated.
        guard let oldest = try store.oldestCheckpoint(of: key) else { return nil }
        return try store.earliestWaitingFix(of: key, after: oldest)
    }

    /// Records the problem of devices whose late fixes have waited for long. Call it every few seconds.
    package func recordLongWaits(at now: Instant) throws(Problem) {
        try readReplays()
        // At most 50 at once, so that a service that has fallen behind is not delayed further.
        let devices = replays?.takeLongWaiting(50, at: now) ?? []
        if devices.isEmpty { return }
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            for key in devices { try recordUnevaluated(ofDevice: key, at: now, in: transaction) }
        }
    }

    /// Records the problem that late fixes of a device are not evaluated, if some are not.
    private func recordUnevaluated(
        ofDevice key: DeviceKey, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        guard let waiting = try store.unevaluatedPositions(of: key) else { return }
        let source = DeviceProblem.replay.source(of: waiting.deviceId)
        let problem = Problem.replayPending(
            device: waiting.deviceId, since: waiting.since, isPossible: waiting.cause == .pending)
        if try store.problem(ofSource: source)?.problem == problem { return }
        try record(problem, source: source, at: now, in: transaction)
    }

    /// Resolves the problem that late fixes of a device are not evaluated, unless some cannot be.
    package func resolveUnevaluated(
        ofDevice key: DeviceKey, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        if try store.unevaluatedPositions(of: key)?.cause == .positionsMissing {
            return try recordUnevaluated(ofDevice: key, at: now, in: transaction)
        }
        guard let stored = try store.device(key: key) else { return }
        try resolve(source: DeviceProblem.replay.source(of: stored.device.id), in: transaction)
    }

    // MARK: - Automatic replays

    /// Continues the replays of late fixes that are due: a device is due after two seconds without another late fix, at the latest after
    /// thirty seconds. Call it periodically, and again immediately while more work remains.
    ///
    /// - Parameters:
    ///   - now: The time; nil to replay all waiting devices without delay.
    ///   - limit: The maximum number of fixes to evaluate. A thousand fixes take a few milliseconds.
    /// - Returns: The result for a device whose replay is finished (nil if none is), and whether more work remains.
    package func replayLate(
        at now: Instant?, limit: Int = 5000
    ) throws(Problem) -> (done: (counts: ReplayCounts, events: [Event])?, hasMore: Bool) {
        try readReplays()
        // A request continues its own replay.
        if let ongoingReplay, ongoingReplay.reason != .lateFixes { return (nil, false) }
        guard let key = ongoingReplay?.replay.stored.key ?? replays?.next(at: now) else {
            releaseUnusedPast()
            return (nil, false)
        }
        let known = ongoingReplay.take()
        guard let stored = try store.device(key: key), try store.pendingReplay(of: key) != nil else {
            replays?.remove(key)
            return (nil, true)
        }
        switch try continueReplay(
            known, of: stored, for: .lateFixes, limit: limit,
            begin: { () throws(Problem) -> DeviceReplay? in
                guard let from = try startOfPendingReplay(of: key) else { return nil }
                return try beginReplay(of: stored, from: from)
            })
        {
        case .unfinished: return (nil, true)
        case .impossible: return (try skip(key), true)
        case .evaluated(let replay): return (try save(replay), replays?.next(at: now) != nil)
        }
    }

    /// Records that a device's waiting fixes cannot be replayed.
    private func skip(_ key: DeviceKey) throws(Problem) -> (counts: ReplayCounts, events: [Event]) {
        let now = clock.now()
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            try recordUnevaluated(ofDevice: key, at: now, in: transaction)
        }
        _ = replays?.recordReplay(of: key, fixes: nil, hasNewFixes: false, at: now)
        var counts = ReplayCounts()
        counts.skipped = 1
        return (counts, [])
    }

    /// Whether a late fix is due for replay while many fixes are not sorted yet. Sorting them within the replay would block others, so they
    /// should be sorted first.
    package func lateReplayNeedsOrder(at now: Instant) throws(Problem) -> Bool {
        try readReplays()
        if ongoingReplay == nil, replays?.next(at: now) == nil { return false }
        return try !canReadTracks()
    }

    /// Replays the late fixes of all waiting devices.
    package func replayLate(all: Bool, _ report: ([Event]) -> Void) throws(Problem) -> ReplayCounts {
        var counts = ReplayCounts()
        while true {
            let step = try replayLate(at: all ? nil : clock.now(), limit: .max)
            if let done = step.done {
                counts.add(done.counts)
                report(done.events)
            }
            if !step.hasMore { return counts }
        }
    }

    // MARK: - Saving a replay

    /// The number of corrected events up to which the store is searched for the id of each.
    private static let searchLimit = 16

    /// Saves the result of a replay within a transaction: for each wrong event an event that retracts it, then the right events with the
    /// cause `corrected`, the device's new state, and its new checkpoints.
    ///
    /// - Parameters:
    ///   - isOfPast: Whether current geofences are the reason. Then they are entries of the input log, and late fixes that wait
    ///     keep waiting.
    ///   - earliestNewFix: The time of the earliest late fix that the replay does not include, because it arrived later.
    package func saveCorrection(
        _ correction: Correction, by replay: DeviceReplay, _ deviceIndex: Int, isOfPast: Bool = false,
        earliestNewFix: Instant? = nil, in transaction: borrowing Transaction
    ) throws(Problem) -> (counts: ReplayCounts, events: [Event]) {
        keepForUndo(deviceIndex)
        let (key, id) = (loadedDevices[deviceIndex].key, loadedDevices[deviceIndex].state.device.id)
        var sequence = try store.newestSequence()
        let now = clock.now()
        var events: [Event] = []
        // One search is faster than many, each of which may read all events of the device.
        let used = correction.changeCount > Self.searchLimit ? try store.usedEventIDs(of: key) : nil
        func append(
            _ transition: Transition, _ geofence: Geofence?, _ revision: Int64, retracts: String? = nil,
            in transaction: borrowing Transaction
        ) throws(Problem) {
            sequence += 1
            events.append(
                try store.append(
                    transition, sequence: sequence, device: key, deviceId: id, geofence: geofence, revision: revision,
                    recordedAt: now, retracts: retracts, used: used, in: transaction))
        }
        var known: [FenceKey: [Int64: Geofence?]] = [:]
        for wrong in correction.wrongEvents {
            let old = wrong.transition
            let geofence = try old.fence.flatMap { fence throws(Problem) -> Geofence? in
                if let found = known[fence]?[wrong.revision] { return found }
                let found = try store.geofence(fence, at: wrong.revision)
                known[fence, default: [:]][wrong.revision] = .some(found)
                return found
            }
            try append(
                Transition(
                    type: .retracted, fence: old.fence, occurredAt: old.occurredAt, confirmedAt: old.confirmedAt,
                    cause: .corrected, fix: old.fix), geofence, wrong.revision, retracts: wrong.id, in: transaction)
        }
        for right in correction.missingDecisions {
            var transition = right.transition
            transition.cause = .corrected
            try append(transition, right.geofence, right.revision, in: transaction)
        }
        for backdating in replay.effectiveBackdatings(correction, present: loadedDevices[deviceIndex].state) {
            loadedDevices[deviceIndex].applied = try store.appendBackdating(
                of: backdating.fence, after: backdating.start, to: key, in: transaction)
        }
        var state = try finalState(of: replay, deviceIndex)
        try store.addReplayGaps(.corrected, to: key, in: transaction)
        try store.replaceState(&state, of: key, applied: loadedDevices[deviceIndex].applied, in: transaction)
        loadedDevices[deviceIndex].state = state
        try save(deviceIndex, in: transaction)
        if !replay.isPartial {
            // The checkpoints name the first decision after them, which may be on record already or new.
            let decided = events.filter { $0.type != .retracted }.map {
                Correction.RecordedConfirmation(sequence: $0.sequence, confirmedAt: $0.confirmedAt)
            }
            try keepCheckpoints(of: replay, deviceIndex, record: correction.record + decided, in: transaction)
        }
        try store.markReplayed(replay.lateFixes, in: transaction)
        var late = 0
        if !isOfPast {
            try store.clearReplay(of: key, after: replay.startedAt ?? .earliest, in: transaction)
            if let earliestNewFix { try store.requestReplay(of: key, from: earliestNewFix, in: transaction) }
            let arrived = replays?.recordReplay(
                of: key, fixes: replay.fixes, hasNewFixes: earliestNewFix != nil, at: now)
            late = min(arrived ?? 0, replay.lateFixes.count)
            try resolveUnevaluated(ofDevice: key, at: now, in: transaction)
        }
        publish(events)
        let evaluated = try evaluateRules(
            ofDeviceAt: deviceIndex,
            after: correction.wrongEvents.map(\.transition) + correction.missingDecisions.map(\.transition),
            positionsFrom: replay.startedAt ?? .earliest, cause: .corrected,
            at: now,
            sequence: &sequence, in: transaction)
        scheduleDeadline(deviceIndex)
        var counts = ReplayCounts(correction, fixes: replay.fixes)
        counts.late = late
        counts.retracted += evaluated.count { $0.type == .retracted }
        counts.new += evaluated.count { $0.type != .retracted }
        return (counts, events + evaluated)
    }

    /// The state of a device after a replay.
    package func finalState(of replay: DeviceReplay, _ deviceIndex: Int) throws(Problem) -> DeviceState {
        let present = loadedDevices[deviceIndex].state
        var state = replay.state
        if replay.isPartial {
            state = present.replacingStates(of: replay.backdatedFences, by: state, policy: policy)
            try engine().updateFenceDeadline(&state)
        }
        state.lag = present.lag
        return state
    }

    // MARK: - Checkpoints

    /// Stores a device's state before a fix is evaluated as a checkpoint. Does nothing if a decision after the device's newest
    /// fix exists, because a replay from the checkpoint would not include it.
    ///
    /// - Parameters:
    ///   - number: The number of the fix.
    ///   - sequence: The number of the newest event.
    func keepCheckpoint(
        ofDeviceAt deviceIndex: Int, before number: Int64, revision: Int64, sequence: Int64, in transaction: borrowing Transaction
    ) throws(Problem) {
        guard keepsPositions(ofDeviceAt: deviceIndex), let newest = loadedDevices[deviceIndex].state.newest?.time else { return }
        let key = loadedDevices[deviceIndex].key
        if !loadedDevices[deviceIndex].checkpointSchedule.isLoaded {
            loadedDevices[deviceIndex].checkpointSchedule.isLoaded = true
            if let last = try store.newestCheckpoint(of: key) {
                loadedDevices[deviceIndex].checkpointSchedule.recordCheckpoint(at: last)
                return
            }
        }
        if let confirmed = try store.latestConfirmation(of: key), confirmed > newest { return }
        try store.saveCheckpoint(
            .init(time: newest, revision: revision, sequence: sequence, next: number, state: loadedDevices[deviceIndex].state),
            of: key, in: transaction)
        loadedDevices[deviceIndex].checkpointSchedule.recordCheckpoint(at: newest)
    }

    /// Replaces the checkpoints after the start of a replay with the replay's own checkpoints.
    ///
    /// - Parameter record: The recorded decisions that the replay covers, and those that it has added.
    private func keepCheckpoints(
        of replay: DeviceReplay, _ deviceIndex: Int, record: [Correction.RecordedConfirmation],
        in transaction: borrowing Transaction
    ) throws(Problem) {
        let key = loadedDevices[deviceIndex].key
        try store.removeCheckpoints(of: key, after: replay.startedAt ?? .earliest, in: transaction)
        loadedDevices[deviceIndex].checkpointSchedule = CheckpointSchedule(
            last: replay.checkpoints.last?.time ?? replay.startedAt)
        if replay.checkpoints.isEmpty { return }
        let record = record.sorted { $0.confirmedAt > $1.confirmedAt }
        var next = 0
        var first = try store.newestSequence() + 1
        for var checkpoint in replay.checkpoints.reversed() {
            while next < record.count, record[next].confirmedAt > checkpoint.time {
                first = min(first, record[next].sequence)
                next += 1
            }
            checkpoint.sequence = first - 1
            try store.saveCheckpoint(checkpoint, of: key, in: transaction)
        }
    }
}
