import Model
import Monitor
import Store

/// Evaluates the inputs of one device again in order of time, with late fixes at their own times, from a checkpoint or from the first fix.
package final class DeviceReplay {
    /// A transition of the replay, and the geofence that it is about.
    package struct Decision {
        package let transition: Transition
        /// The revision of the geofences that decided.
        package let revision: Int64
        /// Nil for transitions about the device alone, such as silence.
        package let geofence: Geofence?
    }

    /// How a replay differs from what happened live.
    package struct ReplayOptions {
        /// A policy for the device, in effect all the time; nil for the recorded ones.
        package var policy: PolicyOverride?
        /// An engine with geofences that exist all the time; nil for the recorded geofences.
        package var engine: TransitionEngine?
        /// The only geofences to evaluate; nil for all.
        package var onlyFences: Set<FenceKey>?
        /// Late fixes with greater numbers that no replay has evaluated yet are skipped.
        package var lateFixesUpTo = Int64.max
        /// Whether the replay may begin with the oldest remaining position when older positions were removed.
        package var allowsRemovedPositions = false
        /// Whether every step is reported, and every deadline as its own step.
        package var reportsEveryStep = false
        /// Geofences that apply to the device's past from now on; nil for none.
        package var backdating: Backdating?

        package init() {}
    }

    /// The replayed device.
    package let stored: PicketStore.StoredDevice
    /// The time of the checkpoint that the replay began from; nil when it began with the first fix.
    package let startedAt: Instant?
    /// The recorded events with a higher sequence than this are those that the replay covers.
    let recordStartsAfter: Int64
    /// The decisions so far, in the order in which they were made.
    private(set) var decisions: [Decision] = []
    /// The number of fixes evaluated.
    package private(set) var fixes = 0
    /// The input numbers of late fixes that this replay is the first to evaluate.
    package var lateFixes: [Int64] { evaluatedLateFixes + order.replacingFixes }
    private var evaluatedLateFixes: [Int64] = []
    /// Intermediate states that are worth storing. The caller fills in their `sequence`.
    package private(set) var checkpoints: [PicketStore.Checkpoint] = []

    /// The geofences of `ReplayOptions.backdating` that this replay has put in place of those on record. Others are on record already
    /// as they are now.
    let backdatings: [PicketStore.FenceBackdating]
    /// The geofences of `backdatings`.
    package let backdatedFences: Set<FenceKey>
    /// Whether only the backdated geofences are evaluated, because the device's state at the start is not known otherwise.
    package let isPartial: Bool
    /// The time from which on the backdated geofences apply; nil for the whole past.
    package var backdatedFrom: Instant? { backdatings.first?.start?.time }

    /// Whether a fix that has arrived since the replay began lies where the replay does not have the geofences of the past. The
    /// replay must then be started again.
    package private(set) var mustRestart = false
    /// The area in which the replay has the geofences of the past; nil for everywhere.
    private let ground: PicketStore.FixBounds?
    /// Degrees by which `ground` is larger than the area in which the device was when the replay began.
    private static let groundMargin = 0.1

    private let store: PicketStore
    private let timeline: Timeline
    private var order: TimeOrder
    private var checkpointSchedule: CheckpointSchedule
    /// The latest `confirmedAt` among the decisions.
    private var latestConfirmation = Instant.earliest

    /// Prepares a replay; nil when positions that it needs were removed or there are none to begin with, and while past geofences that it
    /// needs are read in parts (`PastFences.isReading`).
    ///
    /// - Parameters:
    ///   - moment: Everything from this moment on is evaluated again; nil for the whole history.
    ///   - past: Returns the past of all geofences.
    ///   - policy: The store's policy.
    package init?(
        _ store: PicketStore, of stored: PicketStore.StoredDevice, from moment: Instant?,
        past: () throws(Problem) -> PastFences, policy: DecisionPolicy, options: ReplayOptions
    ) throws(Problem) {
        let notes = try store.replayNotes(of: stored.key)
        let settings: DeviceSettingsHistory
        if let policyOverride = options.policy {
            var device = stored.device
            device.policy = policyOverride
            settings = DeviceSettingsHistory(always: device)
        } else {
            settings = try store.settingsHistory(of: stored)
        }
        let known = try store.backdatings(of: stored.key)
        var checkpoint: PicketStore.Checkpoint?
        var start: BackdatingStart?
        if let backdating = options.backdating {
            guard
                let found = try BackdatingStart(
                    store, of: stored, backdating, known: known, isComplete: !notes.gaps.contains(.positionsRemoved),
                    settings: settings,
                    policy: policy, eventsAfter: notes.after)
            else { return nil }
            checkpoint = found.checkpoint
            start = found
        } else if let moment {
            checkpoint = try store.checkpoint(of: stored.key, before: moment, settings: settings, policy: policy)
        }
        if checkpoint == nil, notes.gaps.contains(.positionsRemoved), !options.allowsRemovedPositions { return nil }
        self.store = store
        self.stored = stored
        startedAt = checkpoint?.time
        recordStartsAfter = max(checkpoint?.sequence ?? 0, notes.after)
        checkpointSchedule = CheckpointSchedule(last: startedAt)
        backdatings = start?.backdatings ?? []
        backdatedFences = Set(backdatings.map(\.fence))
        isPartial = start?.isPartial ?? false

        order = TimeOrder(store, of: stored.key, after: startedAt, lateFixesUpTo: options.lateFixesUpTo)
        let next: Int64
        if let checkpoint { next = checkpoint.next } else { next = try order.firstNumber() ?? .max }
        let reported = try order.addInputs(from: next)
        let settingsIndex = settings.index(before: next)
        let state = checkpoint?.state ?? DeviceState(device: settings.device(settingsIndex), policy: policy)
        let revision = try store.fenceRevision(before: next)
        let held = (known + backdatings).filter { $0.end > next }
        let only = isPartial ? backdatedFences : options.onlyFences
        let fences: FenceTimeline
        var ground: PicketStore.FixBounds?
        if let hypothetical = options.engine {
            fences = FenceTimeline(always: hypothetical, policy: policy)
        } else if let only {
            // Reports of other geofences still matter: they move time forward and drop suspect fixes.
            fences = try FenceTimeline(
                store, only: only.union(reported), from: revision, before: next, policy: policy, backdatings: held)
        } else {
            let past = try past()
            if held.isEmpty, let engine = past.engine(at: revision) {
                fences = FenceTimeline(always: engine, policy: policy)
            } else {
                guard try past.read(after: revision) else { return nil }
                let margin = settings.devices.map { $0.policy.applied(to: policy).exitMargin.maximum }.max() ?? 0
                var extent = try store.fixBounds(of: stored.key, after: startedAt)
                for place in [state.newest?.coordinate, state.stay?.place] { if let place { extent?.extend(to: place) } }
                extent?.extend(by: Self.groundMargin)
                ground = extent
                fences = try FenceTimeline(
                    past, near: extent, margin: margin, known: reported.union(state.fenceStates.map(\.fence)), from: revision,
                    before: next, policy: policy, backdatings: held)
            }
        }
        self.ground = ground
        try order.add(revisions: fences.changingRevisions ?? [])
        if options.engine == nil { order.add(backdatingStarts: held.compactMap(\.start).filter { $0.number >= next }) }
        timeline = Timeline(store, fences, policy: policy, initialStates: .blank, reportsEveryStep: options.reportsEveryStep)
        timeline.add(
            .init(key: stored.key, settings: settings, settingsIndex: settingsIndex, state: state, applied: .min))
    }

    /// The device's state at the current point of the replay.
    package var state: DeviceState { timeline.devices[0].state }
    /// The revision of the geofences at the current point of the replay.
    var revision: Int64 { timeline.fences.revision }
    /// The revision in which the versions of some geofences that apply at the current point of the replay are found.
    package func revision(of fences: Set<FenceKey>) -> Int64 { timeline.fences.revision(of: fences) }

    /// Evaluates the next inputs.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of inputs to evaluate.
    ///   - watching: Called with each step.
    /// - Returns: True when no inputs are left.
    package func replay(atMost limit: Int = .max, watching: ((Timeline.Step) -> Void)? = nil) throws(Problem) -> Bool {
        for _ in 0..<limit {
            guard let entry = try order.nextEntry() else { return true }
            if case .fix(let fix, _) = entry.kind {
                if let ground, !ground.contains(fix) { mustRestart = true }
                keepCheckpoint(before: fix, entry)
                fixes += 1
                if entry.needsReplay { evaluatedLateFixes.append(entry.number) }
            }
            try timeline.apply(entry) { step throws(Problem) in
                watching?(step)
                for transition in step.transitions { try recordDecision(transition) }
            }
        }
        return false
    }

    private func keepCheckpoint(before fix: Fix, _ entry: LoggedInput) {
        guard checkpointSchedule.isDue(before: fix, timeline.devices[0].state), !entry.isLate,
            let newest = timeline.devices[0].state.newest,
            latestConfirmation <= newest.time
        else { return }
        checkpoints.append(
            .init(
                time: newest.time, revision: revision, sequence: 0, next: entry.number, state: state))
        checkpointSchedule.recordCheckpoint(at: newest.time)
    }

    private func recordDecision(_ transition: Transition) throws(Problem) {
        latestConfirmation = max(latestConfirmation, transition.confirmedAt)
        guard let key = transition.fence else {
            decisions.append(
                Decision(transition: transition, revision: revision, geofence: nil))
            return
        }
        guard let deciding = timeline.fences.decidingVersion(of: key) else {
            throw store.damaged("a transition names no geofence")
        }
        decisions.append(Decision(transition: transition, revision: deciding.revision, geofence: deciding.geofence))
    }

    /// Compares the decisions with the recorded events; a partial replay only those about its geofences.
    ///
    /// - Parameter comparesConfirmation: Whether events differ that were only confirmed at another time or with another fix.
    package func correction(comparesConfirmation: Bool = true) throws(Problem) -> Correction {
        var record = try store.decisions(of: stored.key, after: recordStartsAfter)
        if isPartial { record.removeAll { !isBackdated($0.transition.fence) } }
        return Correction(
            isPartial ? decisions.filter { isBackdated($0.transition.fence) } : decisions, since: startedAt, record: record,
            comparesConfirmation: comparesConfirmation)
    }

    /// Whether a geofence is one of `backdatings`.
    package func isBackdated(_ fence: FenceKey?) -> Bool { fence.map(backdatedFences.contains) ?? false }

    /// Those of `backdatings` that change the record, an intermediate state, or the final state. Only these have to be recorded.
    ///
    /// - Parameter present: The device's current state.
    package func effectiveBackdatings(_ correction: Correction, present: DeviceState) -> [PicketStore.FenceBackdating] {
        var fences = Set(decisions.compactMap(\.transition.fence)).union(correction.wrongEvents.compactMap(\.transition.fence))
        for state in checkpoints.map(\.state) + [state, present] { fences.formUnion(state.fenceStates.map(\.fence)) }
        return backdatings.filter { fences.contains($0.fence) }
    }
}
