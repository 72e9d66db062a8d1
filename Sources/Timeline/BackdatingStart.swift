import Model
import Monitor
import Store

/// The request to apply geofences, as they are now, to a device's past.
package struct Backdating: Sendable {
    /// The current version of each geofence; nil for one that was removed, which then counts as never having existed.
    var versions: [FenceKey: PicketStore.FenceVersion?]
    /// The current revision of the geofences.
    package var revision: Int64
    /// The first fix at or after this moment is the first one that they apply to; nil for the whole past.
    var since: Instant?

    package init(versions: [FenceKey: PicketStore.FenceVersion?], revision: Int64, since: Instant?) {
        self.versions = versions
        self.revision = revision
        self.since = since
    }

    /// The geofences as entries of the input log that apply to everything before.
    func backdatings(since start: PicketStore.TrackPosition?) -> [PicketStore.FenceBackdating] {
        versions.keys.sorted().map { key in
            .init(fence: key, version: versions[key] ?? nil, revision: revision, start: start)
        }
    }
}

/// Where a replay with backdated geofences begins.
///
/// Where positions were removed, the whole past cannot be evaluated: the geofences then change right after the first fix that
/// follows the oldest checkpoint. Without a checkpoint, the state at the first remaining fix is derived from the record, and only
/// for the backdated geofences.
struct BackdatingStart {
    /// The state that the replay begins with; nil if it begins with the first fix.
    let checkpoint: PicketStore.Checkpoint?
    /// The geofences whose record in that time differs from what they are now.
    let backdatings: [PicketStore.FenceBackdating]
    /// Whether the checkpoint contains only the backdated geofences.
    let isPartial: Bool

    /// Nil when there is no fix to begin with.
    ///
    /// - Parameters:
    ///   - known: The geofences that were backdated before.
    ///   - isComplete: Whether no positions were removed.
    ///   - sequence: Events up to this number are from before the device was removed and added again.
    init?(
        _ store: PicketStore, of stored: PicketStore.StoredDevice, _ backdating: Backdating,
        known: [PicketStore.FenceBackdating], isComplete: Bool, settings: DeviceSettingsHistory, policy: DecisionPolicy,
        eventsAfter sequence: Int64
    ) throws(Problem) {
        let key = stored.key
        var checkpoint = try backdating.since.flatMap { moment throws(Problem) in
            try store.checkpoint(of: key, before: moment, settings: settings, policy: policy)
        }
        if checkpoint == nil, !isComplete, let oldest = try store.oldestCheckpoint(of: key) {
            checkpoint = try store.checkpoint(of: key, before: oldest + 0.001, settings: settings, policy: policy)
        }
        let first = try Self.firstFix(
            store, of: key,
            from: max(backdating.since ?? .earliest, isComplete ? .earliest : checkpoint.map { $0.time + 0.001 } ?? .earliest))
        guard let first, case .fix(let fix, _) = first.kind else { return nil }
        let isWhole = isComplete && backdating.since == nil
        let start = isWhole ? nil : PicketStore.TrackPosition(time: fix.time, number: first.number)
        let place: InputPosition
        if let start {
            place = PicketStore.FenceBackdating.place(afterFix: start.number)
        } else {
            var order = TimeOrder(store, of: key, after: nil, lateFixesUpTo: 0)
            place = InputPosition(try order.firstNumber() ?? first.number)
        }
        let revision = try store.fenceRevision(before: place.number)
        let earlier = BackdatedFences(known)
        backdatings = backdating.backdatings(since: start).filter { backdated in
            guard let version = backdated.version else { return true }
            if let earlier = earlier.entry(of: backdated.fence, at: place) { return earlier.version?.start != version.start }
            return version.start > revision
        }
        isPartial = !isComplete && checkpoint == nil
        if isPartial {
            let fences = Set(backdatings.map(\.fence))
            let states = Self.openVisits(in: fences, of: try store.decisions(of: key, after: sequence), at: fix.time)
            checkpoint = .init(
                time: fix.time, revision: revision, sequence: sequence, next: first.number,
                state: DeviceState(
                    device: settings.device(settings.index(before: first.number)), policy: policy, newest: fix,
                    fenceStates: states))
        }
        self.checkpoint = checkpoint
    }

    /// The first fix from a moment on that came in time.
    private static func firstFix(
        _ store: PicketStore, of device: DeviceKey, from moment: Instant
    ) throws(Problem) -> LoggedInput? {
        var place = PicketStore.TrackPosition(time: moment == .earliest ? moment : moment + -0.001, number: .max)
        while true {
            let fixes = try store.fixes(of: device, after: place, limit: 64)
            if let found = fixes.first(where: { !$0.isLate }) { return found }
            guard let last = fixes.last, case .fix(let fix, _) = last.kind else { return nil }
            place = .init(time: fix.time, number: last.number)
        }
    }

    /// The geofences that a device was in at a moment, by the events that were certain then.
    private static func openVisits(
        in fences: Set<FenceKey>, of record: [PicketStore.RecordedDecision], at moment: Instant
    ) -> [FenceState] {
        var visits: [FenceKey: OpenVisit] = [:]
        let certain = record.filter { $0.retractedBy == nil && $0.transition.confirmedAt <= moment }
        for transition in certain.map(\.transition).sorted(by: { $0.occurredAt < $1.occurredAt }) {
            guard let fence = transition.fence, fences.contains(fence) else { continue }
            switch transition.type {
            case .enter: visits[fence] = OpenVisit(enteredAt: transition.occurredAt, cause: transition.cause)
            case .dwell: visits[fence]?.hasDwelt = true
            case .exit: visits[fence] = nil
            default: break
            }
        }
        return visits.sorted { $0.key < $1.key }.map { fence, visit in
            var state = FenceState(fence: fence, phase: .inside)
            state.visit = visit
            return state
        }
    }
}
