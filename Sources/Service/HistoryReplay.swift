import Model
import Monitor
import Store

/// What came of judging everything that is stored once more.
public struct ReplayReport: Sendable {
    /// Fixes that were judged, and late ones that no replay has judged yet and that were passed over as they were at first.
    public var fixes = 0
    public var lateFixes = 0
    /// Changes of the fence set that were gone through.
    public var revisions: Int64 = 0
    /// Decisions that are on record and were come to again.
    public var decisions = 0
    /// Devices whose events and state a replay gives again.
    public var devices = 0
    /// Devices for which it gives something else, and known reasons why it may, each with the number of devices.
    public var unproven: [(reason: String, devices: Int)] = []
    /// Devices for which it gives something else, for any reason.
    public var unprovenDevices = 0
}

/// Judges all stored fixes anew and compares what comes of it with the events and states on record.
///
/// It goes through the store once, in the order of arrival, with all devices at a time and the fences of every revision in turn: for
/// that no fix need be in order by device, and no fence be looked at for each device. What a replay of late fixes has put right, only
/// order of time gives again: these devices follow, one by one, by the same `DeviceReplay`.
///
/// Memory: the states of all devices and the fences of one revision; fixes and events stream by, but for the events of one device
/// that was corrected.
final class HistoryReplay {
    private let store: RegionStore
    private let policy: DecisionPolicy
    private let progress: (_ done: Int) -> Void
    private let history: FenceHistory

    private var fences: [FenceKey: Geofence] = [:]
    private var revision: Int64 = 0
    /// The engine over all fences of `revision`; made when first needed.
    private var engine: TransitionEngine?

    private var devices: [Replayed] = []
    private var numbers: [DeviceKey: Int] = [:]
    private var transitions: [Transition] = []
    private var report = ReplayReport()
    /// Fixes that were read.
    private var read = 0

    /// A device on its way through its own history.
    private struct Replayed {
        let stored: RegionStore.StoredDevice
        let notes: RegionStore.ReplayNotes
        let rules: RulesHistory
        /// Of the rules that hold.
        var ruleIndex = 0
        var state: DeviceState
        /// The last event that was come to again.
        var sequence: Int64
        /// The first thing that is other than on record; what follows it is not compared.
        var difference: String?
        /// What it was told of late fixes stands in order of time.
        var isCorrected: Bool { notes.gaps.contains(.corrected) }
    }

    private init(_ store: RegionStore, _ policy: DecisionPolicy, _ progress: @escaping (Int) -> Void) throws(Problem) {
        self.store = store
        self.policy = policy
        self.progress = progress
        history = try store.fenceHistory()
        let notes = try store.replayNotes()
        for stored in try store.devices() {
            guard let notes = notes[stored.key] else { continue }
            numbers[stored.key] = devices.count
            let rules = try store.rules(of: stored)
            devices.append(
                Replayed(
                    stored: stored, notes: notes, rules: rules,
                    state: DeviceState(device: rules.device(0), policy: policy), sequence: notes.after))
        }
    }

    /// Replays a store. To be called in a snapshot of it.
    ///
    /// - Parameter progress: Told the number of fixes that were read.
    static func run(
        _ store: RegionStore, policy: DecisionPolicy, flaws: inout StoreFlaws, progress: @escaping (Int) -> Void
    ) throws(Problem) -> ReplayReport {
        let replay = try HistoryReplay(store, policy, progress)
        try replay.judge()
        try replay.judgeCorrected()
        try replay.close(&flaws)
        return replay.report
    }

    // MARK: - Through the history

    private func judge() throws(Problem) {
        try store.forEachStoredFix { stored throws(Problem) in
            if stored.revision > revision { try advance(to: stored.revision) }
            let number = numbers[stored.device]
            let isCorrected = number.map { devices[$0].isCorrected } ?? false
            if stored.isLate, !stored.isReplayed { report.lateFixes += 1 }
            guard !isCorrected else { return }
            read += 1
            if read % 4096 == 0 { progress(read) }
            guard !stored.isLate, let number, devices[number].difference == nil else { return }
            report.fixes += 1
            try changeRules(number, before: stored)
            if devices[number].notes.hasReports { try catchUp(number, before: stored.fix) }
            fullEngine().observe(stored.fix, &devices[number].state, &transitions)
            devices[number].state.dropChanges()
            if !transitions.isEmpty { try compare(number) }
        }
        try advance(to: store.fenceRevision())
        // What the clock fired last is on record, or the state that is stored shows it.
        for number in devices.indices where isMoving(number) {
            try changeRules(number, before: nil)
            try catchUp(number, before: nil)
        }
    }

    /// Whether a device has come into the stream and is still in it.
    private func isMoving(_ number: Int) -> Bool {
        !devices[number].isCorrected && devices[number].difference == nil && devices[number].state.newest != nil
    }

    /// Lets a device's groups, policy and patience change as they did before a fix.
    ///
    /// - Parameter next: The fix that comes next; nil when the fences change first.
    private func changeRules(_ number: Int, before next: RegionStore.StoredFix?) throws(Problem) {
        while devices[number].difference == nil, let end = devices[number].rules.end(devices[number].ruleIndex),
            next.map({ end.number < $0.number }) ?? (end.revision <= revision)
        {
            try catchUp(number, before: nil, upTo: end.sequence)
            devices[number].ruleIndex += 1
            let device = devices[number].rules.device(devices[number].ruleIndex)
            fullEngine().adopt(device, policy: policy, &devices[number].state, &transitions)
            devices[number].state.dropChanges()
            if !transitions.isEmpty { try compare(number) }
        }
    }

    private func fullEngine() -> TransitionEngine {
        if let engine { return engine }
        let made = TransitionEngine(
            fences: FenceSet(
                revision: revision,
                fences.sorted { $0.key < $1.key }.map { FenceSet.Entry(key: $0.key, geofence: $0.value) }))
        engine = made
        return made
    }

    /// Goes through the changes of the fence set, each with every device, as they were made.
    private func advance(to target: Int64) throws(Problem) {
        while revision < target {
            let moving = devices.indices.filter(isMoving)
            // What happened without a fix happened by the fences as they were before.
            for number in moving {
                try changeRules(number, before: nil)
                guard devices[number].state.deadline != nil || devices[number].notes.hasReports else { continue }
                try catchUp(number, before: nil)
            }
            revision += 1
            report.revisions += 1
            engine = nil
            let (put, ended) = try history.changes(at: revision)
            var changed: Set<FenceKey> = []
            var removed = ended
            var hasNewDeadlines = false
            for entry in put {
                removed.remove(entry.key)
                let old = fences.updateValue(entry.geofence, forKey: entry.key)
                if old?.coversAlike(entry.geofence) != true { changed.insert(entry.key) }
                if let old, old.dwell != entry.geofence.dwell || old.policy != entry.geofence.policy { hasNewDeadlines = true }
            }
            for key in removed { fences[key] = nil }
            guard hasNewDeadlines || !changed.isEmpty || !removed.isEmpty, !moving.isEmpty else { continue }
            // Only these fences are looked at: those that changed, and those that a device has to do with.
            var concerned = changed
            for number in moving { for presence in devices[number].state.presences { concerned.insert(presence.fence) } }
            let engine = TransitionEngine(
                fences: FenceSet(
                    revision: revision,
                    concerned.sorted().compactMap { key in fences[key].map { FenceSet.Entry(key: key, geofence: $0) } }))
            for number in moving where devices[number].difference == nil {
                engine.adopt(changed: changed, removed: removed, &devices[number].state, &transitions)
                devices[number].state.dropChanges()
                if !transitions.isEmpty { try compare(number) }
            }
        }
    }

    /// Lets happen what the record says happened to a device by the present fences without a fix: deadlines that the clock
    /// fired, and reports of the phone itself. What it says is only a hint of when: the deciding is done anew.
    ///
    /// - Parameters:
    ///   - next: The fix that comes next; nil when the fences or the device's rules change first.
    ///   - last: The number of the last event that may follow.
    private func catchUp(_ number: Int, before next: Fix?, upTo last: Int64 = .max) throws(Problem) {
        while devices[number].difference == nil, let newest = devices[number].state.newest {
            guard let recorded = try store.decision(of: devices[number].stored.key, after: devices[number].sequence),
                recorded.revision == revision, recorded.sequence <= last
            else { return }
            let known = recorded.transition
            if known.cause == .reconciled {
                guard known.fix.time == newest.time, known.fix.coordinate == newest.coordinate,
                    let fence = known.fence.flatMap({ fences[$0] })
                else { return }
                // An older fix came before it, or it had been late. One of the same moment that is not believed becomes no newest one.
                if let next, next.time < known.occurredAt || next.time == known.occurredAt && isDoubted(next, number) { return }
                fullEngine().reconcile(
                    fence.id, isInside: known.type == .enter, at: known.occurredAt, &devices[number].state, &transitions)
            } else {
                // One that has come later fell due by a fix that is still to come.
                guard known.cause == .moved || known.cause == .silence, let deadline = devices[number].state.deadline,
                    deadline <= known.confirmedAt, next.map({ known.confirmedAt < $0.time }) ?? true
                else { return }
                fullEngine().advance(before: deadline + 0.001, &devices[number].state, &transitions)
            }
            if transitions.isEmpty { return }
            try compare(number)
        }
    }

    private func isDoubted(_ fix: Fix, _ number: Int) -> Bool {
        var (state, told) = (devices[number].state, [Transition]())
        fullEngine().observe(fix, &state, &told)
        return state.suspect == fix
    }

    // MARK: - What was corrected

    /// Judges in order of time those devices of which late fixes have put something right.
    private func judgeCorrected() throws(Problem) {
        let corrected = devices.indices.filter { devices[$0].isCorrected }
        if corrected.isEmpty { return }
        try store.withOrder(of: corrected.map { devices[$0].stored.key }) { () throws(Problem) in
            for number in corrected { try judgeCorrected(number) }
        }
    }

    /// What is on record of a device, as far as it stands, must be what its fixes give, but for late ones that still wait.
    private func judgeCorrected(_ number: Int) throws(Problem) {
        let stored = devices[number].stored
        let known = try store.state(of: stored, policy: policy)
        let begun = try DeviceReplay.begin(
            store, stored, from: nil, engine: fullEngine(), policy: policy, supposing: .init(lateFrom: .latest))
        guard case .success(let replay) = begun else {
            return differ(number, "positions that a replay takes were removed")
        }
        var isDone = false
        while !isDone {
            let before = replay.fixes
            isDone = try replay.judge(atMost: 4096, reached: known.reached)
            read += replay.fixes - before
            progress(read)
        }
        let correction = try replay.correction()
        report.fixes += replay.fixes
        report.decisions += correction.equal
        if let surplus = correction.wrong.first {
            differ(number, surplus: surplus)
        } else if let missing = correction.right.first {
            differ(number, missing: missing.transition)
        } else if let difference = known.difference(from: replay.finalState(beside: known)) {
            differ(number, difference)
        }
    }

    // MARK: - Comparing

    /// Compares the transitions that a device has made with the next ones on record, and forgets them.
    private func compare(_ number: Int) throws(Problem) {
        defer { transitions.removeAll(keepingCapacity: true) }
        for transition in transitions {
            guard let recorded = try store.decision(of: devices[number].stored.key, after: devices[number].sequence) else {
                return differ(number, missing: transition)
            }
            guard recorded.transition.isAlike(transition) else {
                return differ(
                    number,
                    "event \(recorded.sequence) is \(words(recorded.transition)), a replay gives \(words(transition))")
            }
            devices[number].sequence = recorded.sequence
            report.decisions += 1
        }
    }

    /// Compares what is left of each device when all is judged: events that nothing led to, and its state.
    private func close(_ flaws: inout StoreFlaws) throws(Problem) {
        var reasons: [String: Int] = [:]
        for number in devices.indices {
            let device = devices[number]
            if device.difference == nil, !device.isCorrected {
                if let surplus = try store.decision(of: device.stored.key, after: device.sequence) {
                    differ(number, surplus: surplus)
                } else if let difference = try store.state(of: device.stored, policy: policy).difference(from: device.state) {
                    differ(number, difference)
                }
            }
            guard let difference = devices[number].difference else {
                report.devices += 1
                continue
            }
            let gaps = ReplayGaps.named.filter { device.notes.gaps.contains($0.gap) }
            if gaps.isEmpty {
                flaws.add(.replay, "\(device.stored.device.id): \(difference)")
            } else {
                report.unprovenDevices += 1
                for (_, name) in gaps { reasons[name, default: 0] += 1 }
            }
        }
        report.unproven = ReplayGaps.named.compactMap { entry in reasons[entry.name].map { (entry.name, $0) } }
    }

    private func differ(_ number: Int, _ difference: String) { devices[number].difference = difference }

    private func differ(_ number: Int, surplus recorded: RegionStore.RecordedDecision) {
        differ(number, "event \(recorded.sequence) is \(words(recorded.transition)), and a replay does not give it")
    }

    private func differ(_ number: Int, missing transition: Transition) {
        differ(number, "a replay gives \(words(transition)), of which nothing is on record")
    }

    private func words(_ transition: Transition) -> String {
        let place = transition.fence.map { " " + (fences[$0]?.id ?? "of geofence number \($0.value)") } ?? ""
        return "\(transition.type.rawValue)\(place) "
            + "at \(transition.occurredAt) (sure at \(transition.confirmedAt), \(transition.cause.rawValue))"
    }
}

extension Transition {
    /// Whether another is the same decision, as far as one is kept on record.
    fileprivate func isAlike(_ other: Transition) -> Bool {
        type == other.type && fence == other.fence && occurredAt == other.occurredAt && confirmedAt == other.confirmedAt
            && crossedAt == other.crossedAt && cause == other.cause && inferred == other.inferred
            && fix.isAlike(other.fix) && visit?.enteredAt == other.visit?.enteredAt && visit?.cause == other.visit?.cause
            && lastHeard == other.lastHeard
    }
}

extension Fix {
    /// Whether time, place and accuracy are the same: what is kept of a fix beside a decision.
    fileprivate func isAlike(_ other: Fix) -> Bool {
        time == other.time && coordinate == other.coordinate && accuracy == other.accuracy
    }
}

extension DeviceState {
    /// What is other in a state that was come to in another way; nil when nothing is.
    func difference(from other: DeviceState) -> String? {
        if newest != other.newest {
            return "its newest fix is of \(newest?.time.description ?? "no time"), by a replay of "
                + (other.newest?.time.description ?? "no time")
        }
        for presence in other.presences {
            guard let known = self.presence(presence.fence) else {
                return
                    "by a replay it is \(presence.phase) at geofence number \(presence.fence.value), and it is stored as outside"
            }
            guard known.phase == presence.phase, known.visit == presence.visit, known.pending?.count == presence.pending?.count,
                known.pending?.crossedAt == presence.pending?.crossedAt,
                known.pending.map({ mine in presence.pending.map { mine.fix.isAlike($0.fix) } ?? false }) ?? true
            else {
                return
                    "at geofence number \(presence.fence.value) it is stored as \(known.phase), by a replay \(presence.phase), "
                    + "or since another time"
            }
        }
        if let surplus = presences.first(where: { other.presence($0.fence) == nil }) {
            return "it is stored as \(surplus.phase) at geofence number \(surplus.fence.value), and by a replay it is outside"
        }
        if deadline != other.deadline {
            return "its deadline is stored as \(deadline?.description ?? "none"), by a replay it is "
                + (other.deadline?.description ?? "none")
        }
        return nil
    }
}
