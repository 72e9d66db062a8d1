import Model
import Monitor
import Store

/// One step of what a device's fixes made of a geofence.
struct PairStep {
    enum Happening {
        case fix(Fix)
        /// Something fell due without a fix.
        case deadline
        /// The fence became what it is from this version on; nil: it was removed.
        case fence(old: Int?, new: Int?)
        case report(isInside: Bool)
    }

    /// What is known of a device and a fence.
    struct Known {
        var standing: Explanation.Standing
        var presence: Presence?
    }

    var at: Instant
    var happening: Happening
    /// Nil while nothing is judged.
    var before: Known?
    var after: Known?
    /// The fix that was judged before.
    var previous: Fix?
    /// The revision of the fences, and which version of the fence held; nil: none.
    var revision: Int64
    var version: Int?
    var transitions: [Transition]
    /// Whether its fix is not believed until the next one agrees with it.
    var isJump: Bool

    var isFix: Bool { if case .fix = happening { true } else { false } }
}

/// Goes through what a device's stored fixes made of one geofence, in order of time.
///
/// What is decided between a device and a fence does not depend on other fences, so an engine with that one comes to the same.
struct PairReplay {
    private let store: RegionStore
    private let stored: RegionStore.StoredDevice
    private let versions: [RegionStore.FenceVersion]
    /// The revisions at which the fence changed.
    private let turns: [Int64]
    private var reports: ArraySlice<RegionStore.Report>
    private var state: DeviceState
    private var engine = TransitionEngine(fences: FenceSet(revision: 0, []))
    private var revision: Int64 = 0
    private var version: Int?
    /// Whether the fence is active and for the device.
    private var isJudged = false
    private var transitions: [Transition] = []
    private var made: [PairStep] = []

    init(
        _ store: RegionStore, _ stored: RegionStore.StoredDevice, _ versions: [RegionStore.FenceVersion], policy: DecisionPolicy
    ) throws(Problem) {
        self.store = store
        self.stored = stored
        self.versions = versions
        turns = Set(versions.flatMap { [$0.start, $0.end].compactMap { $0 } }).sorted()
        reports = try store.reports(of: stored.key, geofenceId: versions.last?.geofence.id ?? "")[...]
        state = DeviceState(device: stored.device, policy: policy)
    }

    /// Hands over step after step, until `body` says that it has enough.
    ///
    /// - Complexity: O(the device's fixes up to there), read one by one.
    mutating func run(_ body: (PairStep) -> Bool) throws(Problem) {
        var track = DeviceTrack(store, of: stored.key, after: nil)
        while let next = try track.nextEntry() {
            try judge(next)
            guard handOver(body) else { return }
        }
        try pass(to: store.fenceRevision())
        try catchUp()
        _ = handOver(body)
    }

    private mutating func handOver(_ body: (PairStep) -> Bool) -> Bool {
        defer { made.removeAll(keepingCapacity: true) }
        return made.allSatisfy(body)
    }

    private mutating func judge(_ next: DeviceTrack.Entry) throws(Problem) {
        let fix = next.fix
        if next.revision > revision { try pass(to: next.revision) }
        try takeReports()
        fire(before: fix.time)
        let before = known
        let previous = state.newest
        engine.observe(fix, &state, &transitions)
        note(.fix(fix), at: fix.time, before: before, previous)
    }

    // MARK: - Without a fix

    /// Lets fall due what does before a moment.
    private mutating func fire(before moment: Instant) {
        while let due = state.due, due < moment {
            let before = known
            engine.advance(before: due + 0.001, &state, &transitions)
            note(.deadline, at: due, before: before, state.newest)
            if state.due == due { return }
        }
    }

    /// Lets fall due what the record says the clock made fall due after the newest fix.
    private mutating func fireRecorded() throws(Problem) {
        guard let version else { return }
        while let due = state.due, try store.hasDecision(of: stored.key, versions[version].key, confirmedAt: due) {
            fire(before: due + 0.001)
            if state.due == due { return }
        }
    }

    /// Lets happen what the record says happened after the newest fix by the fence as it is: what the phone reported, and what the
    /// clock made fall due.
    private mutating func catchUp() throws(Problem) {
        try takeReports()
        try fireRecorded()
    }

    private mutating func takeReports() throws(Problem) {
        guard let newest = state.newest, let version else { return }
        while let report = reports.first, report.fixTime <= newest.time {
            guard report.fixTime == newest.time else {
                // Of a position that is no more there.
                reports.removeFirst()
                continue
            }
            guard report.place == newest.coordinate, versions[version].holds(at: report.revision) else { return }
            reports.removeFirst()
            try fireRecorded()
            let before = known
            engine.reconcile(
                versions[version].geofence.id, isInside: report.isInside, at: report.at, &state, &transitions)
            note(.report(isInside: report.isInside), at: report.at, before: before, newest)
        }
    }

    /// Goes through the changes of the fence up to a revision of the set.
    private mutating func pass(to target: Int64) throws(Problem) {
        for turn in turns where turn > revision && turn <= target {
            try catchUp()
            let before = known
            let old = version
            let new = versions.firstIndex { $0.holds(at: turn) }
            put(new, turn)
            let oldKey = old.map { versions[$0].key }
            let newFence = new.map { versions[$0] }
            var changed: Set<FenceKey> = []
            if let newFence {
                let isAlike = old.map { versions[$0].geofence.coversAlike(newFence.geofence) } ?? false
                if oldKey != newFence.key || !isAlike { changed.insert(newFence.key) }
            }
            var removed: Set<FenceKey> = []
            if let oldKey, oldKey != newFence?.key { removed.insert(oldKey) }
            engine.adopt(changed: changed, removed: removed, &state, &transitions)
            if let newest = state.newest, !changed.isEmpty || !removed.isEmpty {
                note(.fence(old: old, new: new), at: newest.time, before: before, newest)
            }
        }
        revision = max(revision, target)
    }

    private mutating func put(_ new: Int?, _ turn: Int64) {
        version = new
        let fence = new.map { versions[$0] }
        isJudged = fence.map { $0.geofence.isActive && $0.geofence.applies(to: stored.device) } ?? false
        engine = TransitionEngine(
            fences: FenceSet(revision: turn, fence.map { [.init(key: $0.key, geofence: $0.geofence)] } ?? []))
    }

    // MARK: - Taking note

    private var known: PairStep.Known? {
        guard isJudged, let version else { return nil }
        guard state.newest != nil else { return .init(standing: .unknown) }
        guard let presence = state.presence(versions[version].key) else { return .init(standing: .outside) }
        return .init(standing: .init(presence.phase), presence: presence)
    }

    private mutating func note(
        _ happening: PairStep.Happening, at moment: Instant, before: PairStep.Known?, _ previous: Fix?
    ) {
        _ = state.takeChanges()
        // What is about the device alone belongs to no fence.
        let own = transitions.isEmpty ? [] : transitions.filter { $0.fence != nil }
        transitions.removeAll(keepingCapacity: true)
        var isJump = false
        if case .fix(let fix) = happening { isJump = state.suspect == fix }
        made.append(
            PairStep(
                at: moment, happening: happening, before: before, after: known, previous: previous, revision: revision,
                version: version, transitions: own, isJump: isJump))
    }
}

extension Explanation.Standing {
    init(_ phase: Presence.Phase) {
        self =
            switch phase {
            case .unknown: .unknown
            case .entering: .entering
            case .inside: .inside
            case .exiting: .exiting
            case .passing: .passing
            }
    }
}
