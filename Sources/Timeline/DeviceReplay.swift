import Model
import Monitor
import Store

/// Judges the inputs of one device anew in order of time, late fixes in their places, from a checkpoint or from its first fix on.
public final class DeviceReplay {
    /// What was decided, and by which geofence.
    public struct Decision {
        public let transition: Transition
        /// Of the geofences.
        public let revision: Int64
        /// Nil for what is about the device alone.
        public let geofence: Geofence?
    }

    /// What is asked otherwise than it was, or less of it.
    public struct ReplayOptions {
        /// What the device decides by all the time.
        public var policy: PolicyOverride?
        /// The geofences that there are all the time.
        public var engine: TransitionEngine?
        /// The only geofences that are asked about.
        public var only: Set<FenceKey>?
        /// Late fixes before it that no replay has judged yet are passed over.
        public var lateFrom = Instant.earliest
        /// Whether it begins with the first position that is left where others were removed.
        public var isOfWhatIsLeft = false
        /// Whether everything is told as it happens, every deadline by itself.
        public var isWatched = false

        public init() {}
    }

    public let stored: RegionStore.StoredDevice
    /// Why it may come to something else than what is on record, though nothing is wrong.
    public let gaps: ReplayGaps
    /// The time of the checkpoint that it began from; nil: from the first fix.
    public let start: Instant?
    /// What was decided after it is on record after this event.
    public let sequence: Int64
    public private(set) var decisions: [Decision] = []
    /// Fixes that were judged.
    public private(set) var fixes = 0
    /// The numbers of those among them that came late and that no replay had judged before.
    public private(set) var lateFixes: [Int64] = []
    /// States on the way that are worth to be kept; their `sequence` is still to be found.
    public private(set) var checkpoints: [RegionStore.Checkpoint] = []

    private let store: RegionStore
    private let timeline: Timeline
    private var order: TimeOrder
    private var pace: CheckpointSchedule
    /// When the latest decision was sure.
    private var confirmed = Instant.earliest

    /// Reads where to begin; nil when there is nothing to begin from, because positions that it needs were removed, or never kept.
    ///
    /// - Parameters:
    ///   - moment: All from then on is to be judged anew; nil for everything.
    ///   - engine: Over the geofences as they are now.
    ///   - policy: The store's.
    public init?(
        _ store: RegionStore, _ stored: RegionStore.StoredDevice, from moment: Instant?, engine: TransitionEngine?,
        policy: DecisionPolicy, supposing supposition: ReplayOptions = ReplayOptions()
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
        if checkpoint == nil, notes.gaps.contains(.positionsRemoved), !supposition.isOfWhatIsLeft { return nil }
        gaps = notes.gaps
        self.store = store
        self.stored = stored
        start = checkpoint?.time
        sequence = max(checkpoint?.sequence ?? 0, notes.after)
        pace = CheckpointSchedule(last: start)

        order = TimeOrder(store, of: stored.key, after: start, lateFrom: supposition.lateFrom)
        let next: Int64
        if let checkpoint { next = checkpoint.next } else { next = try order.firstInTime() ?? .max }
        let reported = try order.addInputs(from: next)
        let ruleIndex = rules.index(before: next)
        let state = checkpoint?.state ?? DeviceState(device: rules.device(ruleIndex), policy: policy)
        let revision = try store.fenceRevision(before: next)
        let fences: FenceTimeline
        if let supposed = supposition.engine {
            fences = FenceTimeline(always: supposed, policy: policy)
        } else if let only = supposition.only {
            // A report of another geofence says up to when time has passed, and that no fix before it is doubted any more.
            fences = try FenceTimeline(store, only: only.union(reported), from: revision, policy: policy)
        } else if let engine, engine.fences.revision == revision {
            fences = FenceTimeline(always: engine, policy: policy)
        } else {
            let margin = rules.devices.map { $0.policy.applied(to: policy).exitMargin.most }.max() ?? 0
            var extent = try store.extent(of: stored.key, after: start)
            for place in [state.newest?.coordinate, state.stay?.place] { if let place { extent?.take(in: place) } }
            fences = try FenceTimeline(
                store, near: extent, margin: margin,
                known: reported.union(state.presences.map(\.fence)), from: revision, policy: policy)
        }
        try order.add(revisions: fences.breaks ?? [])
        timeline = Timeline(store, fences, policy: policy, beginning: .blank, isWatched: supposition.isWatched)
        timeline.add(
            .init(key: stored.key, rules: rules, ruleIndex: ruleIndex, state: state, applied: .min))
    }

    public var state: DeviceState { timeline.devices[0].state }
    /// Of the geofences that matter to it, as they are now.
    public var revision: Int64 { timeline.fences.engine.fences.revision }

    /// Judges some inputs.
    ///
    /// - Parameter watching: Called with what each has led to.
    /// - Returns: Whether that was the end; then nothing more is to be judged.
    public func judge(atMost limit: Int = .max, watching: ((Timeline.Step) -> Void)? = nil) throws(Problem) -> Bool {
        for _ in 0..<limit {
            guard let entry = try order.nextEntry() else { return true }
            if case .fix(let fix, _) = entry.kind {
                keepCheckpoint(before: fix, entry)
                fixes += 1
                if entry.isWaiting { lateFixes.append(entry.number) }
            }
            try timeline.apply(entry) { step throws(Problem) in
                watching?(step)
                for transition in step.transitions { try decide(transition) }
            }
        }
        return false
    }

    private func keepCheckpoint(before fix: Fix, _ entry: LoggedInput) {
        guard pace.isDue(before: fix, timeline.devices[0].state), !entry.isLate, let newest = timeline.devices[0].state.newest,
            confirmed <= newest.time
        else { return }
        checkpoints.append(
            .init(
                time: newest.time, revision: revision, sequence: 0, next: entry.number, state: state))
        pace.note(newest.time)
    }

    private func decide(_ transition: Transition) throws(Problem) {
        confirmed = max(confirmed, transition.confirmedAt)
        guard let key = transition.fence else {
            decisions.append(
                Decision(transition: transition, revision: revision, geofence: nil))
            return
        }
        guard let judged = timeline.fences.judged(key) else { throw store.damaged("a transition names no geofence") }
        decisions.append(Decision(transition: transition, revision: judged.revision, geofence: judged.geofence))
    }

    /// Compares what it gives with what is on record now.
    public func correction() throws(Problem) -> Correction {
        Correction(self, record: try store.decisions(of: stored.key, after: sequence))
    }
}
