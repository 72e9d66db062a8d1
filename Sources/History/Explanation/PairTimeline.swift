import Model
import Monitor
import Store
import Timeline

/// One step in the timeline of a device and a geofence.
struct TimelineStep {
    /// What happened at a step.
    enum TimelineEvent {
        case fix(Fix)
        /// A deadline was due without a fix.
        case deadline
        /// The geofence changed from the version `old` to the version `new`. `old` is nil if it was created, `new` if it was removed.
        case fence(old: Int?, new: Int?)
        /// The device's groups or policy were edited.
        case device
        /// The phone itself reported whether it is inside.
        case report(isInside: Bool)
    }

    /// The state of the device with respect to the geofence.
    struct PairState {
        var state: Explanation.State
        var presence: FenceState?
    }

    var at: Instant
    var event: TimelineEvent
    /// The states before and after the step; nil if the geofence did not exist, was inactive, or was not for the device.
    var before: PairState?
    var after: PairState?
    /// The fix that was evaluated before this step.
    var previous: Fix?
    /// The revision of the geofences, and the index of the geofence's version that was in force; nil if there was none.
    var revision: Int64
    var version: Int?
    /// The device as it was at the step.
    var device: Device
    var transitions: [Transition]
    /// Whether the step's fix, or without a fix the newest one, is not believed until the next fix agrees with it.
    var isDoubted: Bool
    /// The stay point of the device. The fix is evaluated by it, or is far from it and doubted.
    var stay: StayPoint?

    var isFix: Bool { fix != nil }
    /// Nil if the step has no fix.
    var fix: Fix? { if case .fix(let fix) = event { fix } else { nil } }
}

/// Collects the timeline of one geofence during a replay of a device.
struct PairTimeline {
    private let versions: [PicketStore.FenceVersion]
    /// The keys of the geofence. A geofence that was removed and created again has a new key.
    let keys: Set<FenceKey>
    /// The state after the preceding step.
    private var last: (known: TimelineStep.PairState?, newest: Fix, device: Device, version: Int?)?

    init(_ versions: [PicketStore.FenceVersion]) {
        self.versions = versions
        keys = Set(versions.map(\.key))
    }

    /// The step of the timeline that results from a step of the replay; nil if the step does not concern the geofence.
    ///
    /// - Parameter revision: The revision in which the version of the geofence is found.
    mutating func makeStep(_ step: Timeline.Step, at revision: Int64) -> TimelineStep? {
        // Transitions of the device alone belong to no geofence.
        let own = step.transitions.filter { $0.fence.map(keys.contains) ?? false }
        let state = step.state
        guard let newest = state.newest ?? state.outlierCandidate else { return nil }
        let version = versions.lastIndex { $0.isInEffect(at: revision) }
        let after = pairState(of: version, state)
        let (before, previous, old, oldVersion) = (
            last.map(\.known) ?? after.map { _ in .init(state: .unknown) }, last?.newest, last?.device, last.map(\.version)
        )
        last = (after, newest, state.device, version)
        let what: TimelineStep.TimelineEvent
        switch step.cause {
        case .fix(let fix): what = .fix(fix)
        case .deadline where !own.isEmpty || before?.state != after?.state: what = .deadline
        case .fences(let change) where !keys.isDisjoint(with: change.changed.union(change.removed)):
            what = .fence(old: oldVersion ?? versions.lastIndex { $0.isInEffect(at: change.revision - 1) }, new: version)
        case .life where !own.isEmpty || before?.state != after?.state: what = .deadline
        case .settings where old.map { $0.groups != state.device.groups || $0.policy != state.device.policy } ?? false:
            what = .device
        case .report(let fence, let isInside) where keys.contains(fence): what = .report(isInside: isInside)
        case .deadline, .fences, .settings, .life, .report: return nil
        }
        var isDoubted = state.outlierCandidate != nil
        var stay: StayPoint?
        if case .fix(let fix) = what {
            // A coarse fix may have come since the one that is in doubt.
            isDoubted = state.outlierCandidate.map { $0.time == fix.time } ?? false
            stay = isDoubted ? state.settledStay : state.stayPoint(usedFor: fix)
        }
        return TimelineStep(
            at: step.occurredAt, event: what, before: before, after: after, previous: previous, revision: revision,
            version: version, device: state.device, transitions: own, isDoubted: isDoubted,
            stay: stay)
    }

    /// The state of the device with respect to a version; nil if the geofence does not exist, is inactive, or is not for the device.
    private func pairState(of version: Int?, _ state: DeviceState) -> TimelineStep.PairState? {
        guard let version, versions[version].geofence.isActive, versions[version].geofence.applies(to: state.device) else {
            return nil
        }
        guard let presence = state.fenceState(of: versions[version].key) else { return .init(state: .outside) }
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
