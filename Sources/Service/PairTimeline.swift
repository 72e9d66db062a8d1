import Model
import Monitor
import Store
import Timeline

/// One step of what a device's fixes made of a geofence.
struct TimelineStep {
    enum TimelineEntry {
        case fix(Fix)
        /// Something fell due without a fix.
        case deadline
        /// The fence became what it is from this version on; nil: it was removed.
        case fence(old: Int?, new: Int?)
        /// The device's groups or policy were edited.
        case device
        case report(isInside: Bool)
    }

    /// What is known of a device and a fence.
    struct Known {
        var state: Explanation.State
        var presence: FenceState?
    }

    var at: Instant
    var happening: TimelineEntry
    /// Nil while nothing is judged.
    var before: Known?
    var after: Known?
    /// The fix that was judged before.
    var previous: Fix?
    /// The revision of the fences, and which version of the fence held; nil: none.
    var revision: Int64
    var version: Int?
    /// As it was judged.
    var device: Device
    var transitions: [Transition]
    /// Whether its fix, or else the newest, is not believed until the next one agrees with it.
    var isDoubted: Bool
    /// Where the device stays: its fix is judged by that, or lies elsewhere and is doubted.
    var stay: StayPoint?

    var isFix: Bool { if case .fix = happening { true } else { false } }
}

/// Sees, on the way of a replay, what becomes of one geofence.
struct PairTimeline {
    private let versions: [RegionStore.FenceVersion]
    /// The numbers that the fence has had: one that is removed and made again has another.
    let keys: Set<FenceKey>
    /// What was known after the happening before.
    private var last: (known: TimelineStep.Known?, newest: Fix, device: Device)?

    init(_ versions: [RegionStore.FenceVersion]) {
        self.versions = versions
        keys = Set(versions.map(\.key))
    }

    /// The step that one of the device's is for the pair; nil when it is none.
    ///
    /// - Parameter revision: Of the geofences.
    mutating func see(_ step: Timeline.Step, at revision: Int64) -> TimelineStep? {
        // What is about the device alone belongs to no fence.
        let own = step.transitions.filter { $0.fence.map(keys.contains) ?? false }
        let state = step.state
        guard let newest = state.newest ?? state.suspect else { return nil }
        let version = versions.firstIndex { $0.holds(at: revision) }
        let after = known(of: version, state)
        let (before, previous, old) = (
            last.map(\.known) ?? after.map { _ in .init(state: .unknown) }, last?.newest, last?.device
        )
        last = (after, newest, state.device)
        let what: TimelineStep.TimelineEntry
        switch step.cause {
        case .fix(let fix): what = .fix(fix)
        case .deadline where !own.isEmpty || before?.state != after?.state: what = .deadline
        case .fences(let change) where !keys.isDisjoint(with: change.changed.union(change.removed)):
            what = .fence(old: versions.firstIndex { $0.holds(at: change.revision - 1) }, new: version)
        case .life where !own.isEmpty || before?.state != after?.state: what = .deadline
        case .rules where old.map { $0.groups != state.device.groups || $0.policy != state.device.policy } ?? false:
            what = .device
        case .report(let fence, let isInside) where keys.contains(fence): what = .report(isInside: isInside)
        case .deadline, .fences, .rules, .life, .report: return nil
        }
        let isDoubted = state.suspect != nil
        var stay: StayPoint?
        if case .fix(let fix) = what { stay = isDoubted ? state.settled : state.stay(judging: fix) }
        return TimelineStep(
            at: step.at, happening: what, before: before, after: after, previous: previous, revision: revision,
            version: version, device: state.device, transitions: own, isDoubted: isDoubted,
            stay: stay)
    }

    /// Nil while the fence is not there, not active or not for the device.
    private func known(of version: Int?, _ state: DeviceState) -> TimelineStep.Known? {
        guard let version, versions[version].geofence.isActive, versions[version].geofence.applies(to: state.device) else {
            return nil
        }
        guard let presence = state.presence(versions[version].key) else { return .init(state: .outside) }
        return .init(state: .init(presence.phase), presence: presence)
    }
}

extension Explanation.State {
    init(_ phase: FenceState.Phase) {
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
