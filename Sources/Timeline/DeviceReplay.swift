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
        /// Late fixes before this moment that no replay has evaluated yet are skipped.
        package var lateFrom = Instant.earliest
        /// Whether the replay may begin with the oldest remaining position when older positions were removed.
        package var allowsRemovedPositions = false
        /// Whether every step is reported, and every deadline as a step of its own.
        package var reportsEveryStep = false

        package init() {}
    }

    /// The replayed device.
    package let stored: RegionStore.StoredDevice
    /// Known reasons why the replay may differ from the recorded events although nothing is wrong.
    package let knownGaps: ReplayGaps
    /// The time of the checkpoint that the replay began from; nil when it began with the first fix.
    package let startedAt: Instant?
    /// The recorded events with a higher sequence than this are those that the replay covers.
    package let recordStartsAfter: Int64
    /// The decisions so far, in the order in which they were made.
    package private(set) var decisions: [Decision] = []
    /// The number of fixes evaluated.
    package private(set) var fixes = 0
    /// The input numbers of late fixes that this replay is the first to evaluate.
    package private(set) var lateFixes: [Int64] = []
    /// States on the way that are worth storing. The caller fills in their `sequence`.
    package private(set) var checkpoints: [RegionStore.Checkpoint] = []

    private let store: RegionStore
    private let timeline: Timeline
    private var order: TimeOrder
    private var checkpointSchedule: CheckpointSchedule
    /// The latest `confirmedAt` among the decisions.
    private var latestConfirmation = Instant.earliest

    /// Prepares a replay; nil when positions that it needs were removed.
    ///
    /// - Parameters:
    ///   - moment: Everything from this moment on is evaluated again; nil for the whole history.
    ///   - engine: An engine with the current geofences, which is used if they have not changed since the start.
    ///   - policy: The store's policy.
    package init?(
        _ store: RegionStore, of stored: RegionStore.StoredDevice, from moment: Instant?, engine: TransitionEngine?,
        policy: DecisionPolicy, options supposition: ReplayOptions = ReplayOptions()
    ) throws(Problem) {
        let notes = try store.replayNotes(of: stored.key)
        let rules: RulesHistory
        if let supposed = supposition.policy {
            var device = stored.device
            device.policy = supposed
            rules = RulesHistory(always: device)
        } else {
            rules = try store.rules(of: stored)
        }
        let checkpoint = try moment.flatMap { moment throws(Problem) in
            try store.checkpoint(of: stored.key, before: moment, rules: rules, policy: policy)
        }
        if checkpoint == nil, notes.gaps.contains(.positionsRemoved), !supposition.allowsRemovedPositions { return nil }
        knownGaps = notes.gaps
        self.store = store
        self.stored = stored
        startedAt = checkpoint?.time
        recordStartsAfter = max(checkpoint?.sequence ?? 0, notes.after)
        checkpointSchedule = CheckpointSchedule(last: startedAt)

        order = TimeOrder(store, of: stored.key, after: startedAt, lateFrom: supposition.lateFrom)
        let next: Int64
        if let checkpoint { next = checkpoint.next } else { next = try order.firstInTime() ?? .max }
        let reported = try order.addInputs(from: next)
        let ruleIndex = rules.index(before: next)
        let state = checkpoint?.state ?? DeviceState(device: rules.device(ruleIndex), policy: policy)
        let revision = try store.fenceRevision(before: next)
        let fences: FenceTimeline
        if let supposed = supposition.engine {
            fences = FenceTimeline(always: supposed, policy: policy)
        } else if let only = supposition.onlyFences {
            // Reports of other geofences still matter: they move time forward and drop suspect fixes.
            fences = try FenceTimeline(store, only: only.union(reported), from: revision, policy: policy)
        } else if let engine, engine.fences.revision == revision {
            fences = FenceTimeline(always: engine, policy: policy)
        } else {
            let margin = rules.devices.map { $0.policy.applied(to: policy).exitMargin.maximum }.max() ?? 0
            var extent = try store.fixBounds(of: stored.key, after: startedAt)
            for place in [state.newest?.coordinate, state.stay?.place] { if let place { extent?.extend(to: place) } }
            fences = try FenceTimeline(
                store, near: extent, margin: margin,
                known: reported.union(state.fenceStates.map(\.fence)), from: revision, policy: policy)
        }
        try order.add(revisions: fences.changingRevisions ?? [])
        timeline = Timeline(store, fences, policy: policy, initialStates: .blank, reportsEveryStep: supposition.reportsEveryStep)
        timeline.add(
            .init(key: stored.key, rules: rules, ruleIndex: ruleIndex, state: state, applied: .min))
    }

    /// The device's state at the current point of the replay.
    package var state: DeviceState { timeline.devices[0].state }
    /// The revision of the geofences at the current point of the replay.
    package var revision: Int64 { timeline.fences.engine.fences.revision }

    /// Evaluates the next inputs.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of inputs to evaluate.
    ///   - watching: Called with each step.
    /// - Returns: True when no inputs are left.
    package func replay(atMost limit: Int = .max, watching: ((Timeline.Step) -> Void)? = nil) throws(Problem) -> Bool {
        for _ in 0..<limit {
            guard let entry = try order.nextEntry() else { return true }
            if case .fix(let fix, _) = entry.kind {
                keepCheckpoint(before: fix, entry)
                fixes += 1
                if entry.needsReplay { lateFixes.append(entry.number) }
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
        guard let judged = timeline.fences.decidingVersion(of: key) else { throw store.damaged("a transition names no geofence") }
        decisions.append(Decision(transition: transition, revision: judged.revision, geofence: judged.geofence))
    }

    /// Compares the decisions with the recorded events.
    package func correction() throws(Problem) -> Correction {
        Correction(self, record: try store.decisions(of: stored.key, after: recordStartsAfter))
    }
}
