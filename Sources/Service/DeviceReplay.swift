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

    /// What is asked otherwise than it was.
    struct Supposition {
        /// What all devices decide by.
        var policy: PolicyOverride?
        /// The fences that there are all the time.
        var engine: TransitionEngine?
    }

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
    /// States on the way that are worth to be kept; their `sequence` is still to be found.
    private(set) var checkpoints: [RegionStore.Checkpoint] = []

    let store: RegionStore
    let policy: DecisionPolicy
    let fences: ReplayFences
    private let rules: RulesHistory
    private let lastRevision: Int64
    private var track: DeviceTrack
    private var revision: Int64
    private var ruleIndex: Int
    private var hints: [Hint]
    private var nextHint = 0
    private var pace: CheckpointPace
    /// When the latest decision was sure.
    private var confirmed = Instant.earliest
    private var transitions: [Transition] = []

    /// Something on record that happened without a fix, or may have.
    private struct Hint {
        var moment: Instant
        var revision: Int64
        var sequence: Int64
        /// What a phone reported: whether it is inside of a fence; nil for a deadline that had fired.
        var report: (fence: FenceKey, isInside: Bool)?
        var isDone = false
    }

    /// Reads where to begin.
    ///
    /// - Parameters:
    ///   - moment: All from then on is to be judged anew; nil for everything.
    ///   - engine: Over the fences as they are now.
    ///   - policy: The store's.
    /// - Throws: `Obstacle` within a `Result` when there is nothing to begin from.
    static func begin(
        _ store: RegionStore, _ stored: RegionStore.StoredDevice, from moment: Instant?, engine: TransitionEngine,
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
        if checkpoint == nil, notes.gaps.contains(.positionsRemoved) { return .failure(.positionsRemoved) }
        return .success(
            try DeviceReplay(store, stored, checkpoint, notes, rules, engine: engine, policy: policy, supposition))
    }

    private init(
        _ store: RegionStore, _ stored: RegionStore.StoredDevice, _ checkpoint: RegionStore.Checkpoint?,
        _ notes: (gaps: ReplayGaps, after: Int64), _ rules: RulesHistory, engine: TransitionEngine, policy: DecisionPolicy,
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
        track = DeviceTrack(store, of: stored.key, after: start)
        lastRevision = engine.fences.revision
        var peek = track
        let first = try peek.nextEntry()
        revision = checkpoint?.revision ?? first?.revision ?? lastRevision
        ruleIndex =
            checkpoint.map { rules.index(after: $0.time) } ?? first.map { rules.index(at: ($0.fix.time, $0.number)) }
            ?? rules.last
        if start == nil { state = state.with(rules.device(ruleIndex), policy: policy) }
        hints = Self.hints(try store.decisions(of: stored.key, after: sequence), after: start)
        if let supposed = supposition.engine {
            fences = ReplayFences(supposed)
        } else if revision == lastRevision {
            fences = ReplayFences(engine)
        } else {
            let margin = (0...rules.last).map { rules.device($0).policy.applied(to: policy).exitMargin.most }.max() ?? 0
            var extent = try store.extent(of: stored.key, after: start)
            for place in [state.newest?.coordinate, state.stay?.place] { if let place { extent?.take(in: place) } }
            fences = try ReplayFences(
                store, since: revision, near: extent,
                margin: margin, known: Set(state.presences.map(\.fence) + hints.compactMap { $0.report?.fence }))
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
            case .moved, .silence:
                return Hint(moment: known.confirmedAt, revision: recorded.revision, sequence: recorded.sequence)
            // What a replay has told follows from what was on record before.
            case .initial, .fenceChanged, .fenceRemoved, .deviceRemoved, .corrected: return nil
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
        fences.engine(at: revision).observe(fix, &state, &transitions)
        fixes += 1
        try take()
    }

    private func finish(_ reached: Instant?) throws(Problem) {
        guard let newest = state.newest else { return }
        try settle(revision: lastRevision, rules: rules.last, before: nil)
        if let reached, reached > newest.time {
            fences.engine(at: revision).advance(before: reached, &state, &transitions)
            // A deadline that lies before the newest fix, because it was edited, would seem not to have fired.
            if !transitions.isEmpty, state.reached.map({ $0 <= newest.time }) ?? true {
                state.note(reached: reached)
            }
            try take()
        }
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
                let device = rules.device(ruleIndex)
                let isRegrouped = device.groups != state.device.groups
                state = state.with(device, policy: policy)
                let engine = fences.engine(at: revision)
                engine.adopt(changed: isRegrouped ? engine.fences.keysForGroups : [], &state, &transitions)
                try take()
                continue
            }
            guard let change else { break }
            try happen(upTo: change.revision - 1, before: next)
            revision = change.revision
            fences.engine(at: revision).adopt(changed: change.changed, removed: change.removed, &state, &transitions)
            try take()
        }
        revision = max(revision, target)
        try happen(upTo: revision, before: next)
    }

    /// Lets happen what the record says happened without a fix, up to a revision of the fences and an event, and before the next
    /// fix. It is only a hint of when: the deciding is done anew.
    private func happen(upTo revision: Int64, sequence: Int64 = .max, before next: Instant?) throws(Problem) {
        var index = nextHint
        while index < hints.count, let newest = state.newest, next.map({ hints[index].moment < $0 }) ?? true {
            defer { index += 1 }
            let hint = hints[index]
            guard !hint.isDone, hint.revision <= revision, hint.sequence <= sequence else { continue }
            hints[index].isDone = true
            let engine = fences.engine(at: self.revision)
            if let report = hint.report {
                guard hint.moment >= newest.time, let fence = fences.geofence(report.fence, at: self.revision) else { continue }
                engine.advance(before: hint.moment, &state, &transitions)
                engine.reconcile(fence.id, isInside: report.isInside, at: hint.moment, &state, &transitions)
            } else if hint.moment > newest.time {
                engine.advance(before: hint.moment + 0.001, &state, &transitions)
            }
            try take()
        }
        // One that is not done, and older than the newest fix, has no effect any more.
        while nextHint < hints.count, let newest = state.newest,
            hints[nextHint].isDone || hints[nextHint].moment < newest.time
        {
            nextHint += 1
        }
    }

    /// Takes over what the engine has told.
    private func take() throws(Problem) {
        _ = state.takeChanges()
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
