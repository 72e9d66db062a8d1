import Model
import Monitor
import Store

/// Judges the stored fixes of one device anew, in order of time, from a checkpoint or from its first one on.
///
/// Each fix is judged by the fences of its revision and the rules that held; what changed in between, changes after the same fix
/// again. What happened without a fix, a deadline that the clock fired or a report of the phone itself, happens again at its time.
final class DeviceReplay {
    /// What was decided, and by which geofence.
    struct Decision {
        var transition: Transition
        /// Of the fences.
        var revision: Int64
        /// Nil for what is about the device alone.
        var geofence: Geofence?
    }

    /// What is asked otherwise than it was, or less of it.
    struct Supposition {
        /// What all devices decide by.
        var policy: PolicyOverride?
        /// The fences that there are all the time.
        var engine: TransitionEngine?
        /// The only fences that are asked about.
        var only: Set<FenceKey>?
        /// Late fixes before it that no replay has judged yet are passed over.
        var lateFrom = Instant.earliest
        /// Whether it begins with the first position that is left where others were removed.
        var isOfWhatIsLeft = false
    }

    /// What a replay comes to on its way, as an observer sees it.
    enum Happening {
        case fix(Fix)
        /// Something may have fallen due without a fix.
        case deadline
        /// The fences changed.
        case fences(ReplayFences.Change)
        /// The device itself was edited.
        case rules
        /// The phone itself reported where it was.
        case report(FenceKey, isInside: Bool)
    }

    /// Is told of each happening when it has been judged: when it was, what it led to, and the replay with the state after it.
    typealias Observer = (_ happening: Happening, _ at: Instant, _ transitions: [Transition], _ replay: DeviceReplay) -> Void

    /// Why a replay cannot begin.
    enum Obstacle: Error {
        /// Positions that it needs were removed, or never kept.
        case positionsRemoved
    }

    let stored: RegionStore.StoredDevice
    /// The time of the checkpoint that it began from; nil: from the first fix.
    let start: Instant?
    /// What was decided after it is on record after this event.
    let sequence: Int64
    let notes: (gaps: ReplayGaps, after: Int64)
    private(set) var state: DeviceState
    private(set) var decisions: [Decision] = []
    /// Fixes that were judged.
    private(set) var fixes = 0
    /// The numbers of those among them that came late and that no replay had judged before.
    private(set) var lateFixes: [Int64] = []
    /// States on the way that are worth to be kept; their `sequence` is still to be found.
    private(set) var checkpoints: [RegionStore.Checkpoint] = []

    let store: RegionStore
    let policy: DecisionPolicy
    let fences: ReplayFences
    private let rules: RulesHistory
    private let lastRevision: Int64
    private var track: DeviceTrack
    /// Of the fences.
    private(set) var revision: Int64
    private var ruleIndex: Int
    private var hints: [Hint]
    private var nextHint = 0
    private var pace: CheckpointPace
    /// When the latest decision was sure.
    private var confirmed = Instant.earliest
    private var transitions: [Transition] = []
    var observer: Observer?

    /// Something on record that happened without a fix, or may have.
    private struct Hint {
        var moment: Instant
        var revision: Int64
        var sequence: Int64
        /// The number of the event that took it back; nil: it stands.
        var retractedBy: Int64?
        /// What a phone reported: whether it is inside of a fence; nil for a deadline that had fired.
        var report: (fence: FenceKey, isInside: Bool)?
        var isDone = false
    }

    /// Reads where to begin.
    ///
    /// - Parameters:
    ///   - moment: All from then on is to be judged anew; nil for everything.
    ///   - engine: Over the fences as they are now; nil when only some are asked about.
    ///   - policy: The store's.
    /// - Throws: `Obstacle` within a `Result` when there is nothing to begin from.
    static func begin(
        _ store: RegionStore, _ stored: RegionStore.StoredDevice, from moment: Instant?, engine: TransitionEngine?,
        policy: DecisionPolicy, supposing supposition: Supposition = Supposition()
    ) throws(Problem) -> Result<DeviceReplay, Obstacle> {
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
        if checkpoint == nil, notes.gaps.contains(.positionsRemoved), !supposition.isOfWhatIsLeft {
            return .failure(.positionsRemoved)
        }
        return .success(
            try DeviceReplay(store, stored, checkpoint, notes, rules, engine: engine, policy: policy, supposition))
    }

    private init(
        _ store: RegionStore, _ stored: RegionStore.StoredDevice, _ checkpoint: RegionStore.Checkpoint?,
        _ notes: (gaps: ReplayGaps, after: Int64), _ rules: RulesHistory, engine: TransitionEngine?, policy: DecisionPolicy,
        _ supposition: Supposition
    ) throws(Problem) {
        self.store = store
        self.stored = stored
        self.notes = notes
        self.rules = rules
        self.policy = policy
        start = checkpoint?.time
        sequence = max(checkpoint?.sequence ?? 0, notes.after)
        state = checkpoint?.state ?? DeviceState(device: stored.device, policy: policy)
        pace = CheckpointPace(last: start)
        track = DeviceTrack(store, of: stored.key, after: start, lateFrom: supposition.lateFrom)
        if let engine { lastRevision = engine.fences.revision } else { lastRevision = try store.fenceRevision() }
        var peek = track
        let first = try peek.nextEntry()
        revision = checkpoint?.revision ?? first?.revision ?? lastRevision
        ruleIndex =
            checkpoint.map { rules.index(after: $0.time) } ?? first.map { rules.index(at: ($0.fix.time, $0.number)) }
            ?? rules.last
        if start == nil { state = state.with(rules.device(ruleIndex), policy: policy) }
        hints = Self.hints(try store.decisions(of: stored.key, after: sequence), after: start)
        let reported = Set(hints.compactMap { $0.report?.fence })
        if let supposed = supposition.engine {
            fences = ReplayFences(supposed)
        } else if let only = supposition.only {
            // A report of another fence is a moment up to which time has passed.
            fences = try ReplayFences(store, only: only.union(reported))
        } else if let engine, revision == lastRevision {
            fences = ReplayFences(engine)
        } else {
            let margin = (0...rules.last).map { rules.device($0).policy.applied(to: policy).exitMargin.most }.max() ?? 0
            var extent = try store.extent(of: stored.key, after: start)
            for place in [state.newest?.coordinate, state.stay?.place] { if let place { extent?.take(in: place) } }
            fences = try ReplayFences(
                store, since: revision, near: extent, margin: margin, known: reported.union(state.presences.map(\.fence)))
        }
    }

    private static func hints(_ record: [RegionStore.RecordedDecision], after start: Instant?) -> [Hint] {
        record.compactMap { recorded in
            let known = recorded.transition
            if let start, known.confirmedAt <= start { return nil }
            switch known.cause {
            case .reconciled:
                guard let fence = known.fence else { return nil }
                return Hint(
                    moment: known.occurredAt, revision: recorded.revision, sequence: recorded.sequence,
                    report: (fence, known.type == .enter))
            case .moved, .silence, .corrected:
                return Hint(
                    moment: max(known.confirmedAt, known.fix.time), revision: recorded.revision, sequence: recorded.sequence,
                    retractedBy: recorded.retractedBy)
            case .initial, .fenceChanged, .fenceRemoved, .deviceRemoved, .reported, .rule: return nil
            }
        }
        .enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }.map(\.element)
    }

    // MARK: - Through the track

    /// Judges some fixes, and at the end what happened after the last.
    ///
    /// - Parameter reached: Deadlines of the device before this moment have fired.
    /// - Returns: Whether that was the end; then nothing more is to be judged.
    func judge(atMost limit: Int = .max, reached: Instant?) throws(Problem) -> Bool {
        for _ in 0..<limit {
            guard let entry = try track.nextEntry() else {
                try finish(reached)
                return true
            }
            try judge(entry)
        }
        return false
    }

    private func judge(_ entry: DeviceTrack.Entry) throws(Problem) {
        let fix = entry.fix
        if state.newest == nil {
            revision = max(revision, entry.revision)
        } else {
            try settle(revision: entry.revision, rules: rules.index(at: (fix.time, entry.number)), before: fix.time)
        }
        if pace.isDue(before: fix, state), let newest = state.newest, confirmed <= newest.time {
            checkpoints.append(.init(time: newest.time, revision: revision, sequence: 0, state: state))
            pace.note(newest.time)
        }
        if observer != nil { try advance(before: fix.time) }
        fences.engine(at: revision).observe(fix, &state, &transitions)
        fixes += 1
        if entry.isNew { lateFixes.append(entry.number) }
        try take(.fix(fix), at: fix.time)
    }

    private func finish(_ reached: Instant?) throws(Problem) {
        guard let newest = state.newest else { return }
        try settle(revision: lastRevision, rules: rules.last, before: nil)
        if let reached, reached > newest.time {
            let count = decisions.count
            try advance(before: reached)
            // A deadline that lies before the newest fix, because it was edited, would seem not to have fired.
            if decisions.count > count, state.reached.map({ $0 <= newest.time }) ?? true {
                state.note(reached: reached)
            }
        }
    }

    /// Lets time pass, for an observer from deadline to deadline.
    private func advance(before moment: Instant) throws(Problem) {
        let engine = fences.engine(at: revision)
        while observer != nil, let deadline = state.deadline, deadline < moment {
            engine.advance(before: deadline + 0.001, &state, &transitions)
            try take(.deadline, at: max(deadline, state.newest?.time ?? deadline))
        }
        engine.advance(before: moment, &state, &transitions)
        try take(.deadline, at: moment)
    }

    /// Lets change what changed between the newest fix and the next: fences and rules; and happen what happened without a fix.
    ///
    /// - Parameter next: The time of the next fix; nil when there is none.
    private func settle(revision target: Int64, rules targetRules: Int, before next: Instant?) throws(Problem) {
        while true {
            let change = fences.nextChange(after: revision, upTo: target)
            if ruleIndex < targetRules, let end = rules.end(ruleIndex), change.map({ end.revision < $0.revision }) ?? true {
                try happen(upTo: end.revision, sequence: end.sequence, before: next)
                revision = max(revision, end.revision)
                ruleIndex += 1
                fences.engine(at: revision).adopt(rules.device(ruleIndex), policy: policy, &state, &transitions)
                try take(.rules, at: state.frontier ?? .earliest)
                continue
            }
            guard let change else { break }
            try happen(upTo: change.revision - 1, before: next)
            revision = change.revision
            fences.engine(at: revision).adopt(changed: change.changed, removed: change.removed, &state, &transitions)
            try take(.fences(change), at: state.frontier ?? .earliest)
        }
        revision = max(revision, target)
        try happen(upTo: revision, before: next)
    }

    /// Lets happen what the record says happened without a fix, up to a revision of the fences and an event, and before the next
    /// fix. It is only a hint of when: the deciding is done anew.
    ///
    /// That a deadline had fired which was taken back later says so only of what came before that. What a phone reported is true
    /// whatever became of it.
    private func happen(upTo revision: Int64, sequence: Int64 = .max, before next: Instant?) throws(Problem) {
        var index = nextHint
        while index < hints.count, let newest = state.newest, next.map({ hints[index].moment < $0 }) ?? true {
            defer { index += 1 }
            let hint = hints[index]
            guard !hint.isDone, hint.revision <= revision, hint.sequence <= sequence,
                hint.report != nil || hint.retractedBy.map({ sequence < $0 }) ?? true
            else { continue }
            hints[index].isDone = true
            if let report = hint.report {
                guard hint.moment >= newest.time, let fence = fences.geofence(report.fence, at: self.revision) else { continue }
                try advance(before: hint.moment)
                fences.engine(at: self.revision).reconcile(
                    fence.id, isInside: report.isInside, at: hint.moment, &state, &transitions)
                try take(.report(report.fence, isInside: report.isInside), at: hint.moment)
            } else if hint.moment > newest.time {
                try advance(before: hint.moment + 0.001)
            }
        }
        // One that is not done, and older than the newest fix, has no effect any more.
        while nextHint < hints.count, let newest = state.newest,
            hints[nextHint].isDone || hints[nextHint].moment < newest.time
        {
            nextHint += 1
        }
    }

    /// Takes over what the engine has told of a happening.
    private func take(_ happening: Happening, at moment: Instant) throws(Problem) {
        state.dropChanges()
        observer?(happening, moment, transitions, self)
        if transitions.isEmpty { return }
        for transition in transitions {
            var decision = Decision(transition: transition, revision: revision)
            if let key = transition.fence {
                if let fence = fences.geofence(key, at: revision) {
                    decision.geofence = fence
                } else {
                    // One that is gone is left as it was before.
                    decision.revision = revision - 1
                    decision.geofence = fences.geofence(key, at: revision - 1)
                    if decision.geofence == nil { decision.geofence = try store.geofence(key, at: revision - 1) }
                }
            }
            confirmed = max(confirmed, transition.confirmedAt)
            decisions.append(decision)
        }
        transitions.removeAll(keepingCapacity: true)
    }
}
