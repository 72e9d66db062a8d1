import Geodesy
import Geometry
import Model

/// Decides who entered, left and stayed: `(state, fix) → transitions`.
///
/// It does no I/O and knows no clock and no chance: what it decides depends on fences, policies, states and fixes alone. It
/// belongs to one thread, as its geometry does; any number of engines may share the work by device.
public final class TransitionEngine {
    public let fences: FenceSet
    private let ruler: Ruler
    /// The number of the last fix for which each fence was looked at, by position: so that no fence is looked at twice, however
    /// many a device is in.
    private var lookedAt: [UInt64]
    private var fixNumber: UInt64 = 0

    public init(fences: FenceSet) {
        self.fences = fences
        ruler = Ruler(fences: fences)
        lookedAt = [UInt64](repeating: 0, count: fences.entries.count)
    }

    /// Judges a fix that is no older than the device's newest. Deadlines before it fire first.
    ///
    /// Transitions are appended to `out`: those of deadlines in order of time, then those of the fix; on one moment a return from
    /// silence, then exits, enters, dwells, each by geofence id, then silence.
    public func observe(_ fix: Fix, _ state: inout DeviceState, _ out: inout [Transition]) {
        advance(before: fix.time, &state, &out)
        let start = out.count
        note(lifeAt: fix.time, showedBy: fix, &state, &out)
        let vector = EarthVector(fix.coordinate)
        fixNumber += 1

        // From the back, because a presence that ends is taken out.
        for index in state.presences.indices.reversed() {
            let presence = state.presences[index]
            guard let position = fences.position(of: presence.fence) else { continue }
            lookedAt[position] = fixNumber
            let policy = policy(position, state)
            let reading = ruler.reading(position: position, fix, vector, policy, isFirst: presence.phase == .unknown)
            if reading == .unsure || reading == .inside && presence.phase == .inside && !isDwellDue(presence, position, fix) {
                continue
            }
            put(decide(presence, reading, position, fix, state, policy, &out), at: index, &state)
        }

        fences.index.forEachCandidate(at: fix.coordinate) { position in
            guard fences.centers[position].chordSquared(to: vector) <= fences.reaches[position] else { return }
            consider(position, fix, vector, &state, &out)
        }
        if state.newest == nil, fix.reckonedAccuracy > 0 {
            // A coarse first fix leaves the fences around it unknown, also those that it does not lie in.
            let reach = fix.reckonedAccuracy + state.policy.exitMargin.most
            for position in fences.index.candidates(meeting: BoundingBox(around: fix.coordinate, radius: reach)) {
                consider(position, fix, vector, &state, &out)
            }
        }
        state.newest = fix
        order(&out, from: start)
        if !state.changes.isEmpty || state.due != nil || fences.hasDwells && !state.presences.isEmpty {
            state.due = due(state)
        }
    }

    /// Judges a fix against a fence that the device has so far been outside of.
    private func consider(
        _ position: Int, _ fix: Fix, _ vector: EarthVector, _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        guard lookedAt[position] != fixNumber, applies(position, state) else { return }
        lookedAt[position] = fixNumber
        let policy = policy(position, state)
        let isFirst = state.newest == nil
        let reading = ruler.reading(position: position, fix, vector, policy, isFirst: isFirst)
        let known = isFirst ? Presence(fence: fences.entries[position].key, phase: .unknown) : nil
        if reading == .outside || reading == .unsure && !isFirst { return }
        put(decide(known, reading, position, fix, state, policy, &out), at: nil, &state)
    }

    // MARK: - The decision

    /// What a fix makes of what was known of a fence (nil: outside). Every transition by a fix is decided here.
    private func decide(
        _ known: Presence?, _ reading: Ruler.Reading, _ position: Int, _ fix: Fix, _ state: DeviceState,
        _ policy: DecisionPolicy, _ out: inout [Transition]
    ) -> Presence? {
        var presence = known ?? Presence(fence: fences.entries[position].key, phase: .entering)
        switch (known?.phase, reading) {
        case (_, .unsure): return known
        case (nil, .outside), (.unknown, .outside), (.entering, .outside): return nil
        case (.unknown, .inside):
            return enter(presence.fence, showed: .init(fix: fix, count: 1, crossedAt: nil), at: fix.time, .initial, &out)
        case (nil, .inside), (.inside, .outside):
            presence.phase = known == nil ? .entering : .exiting
            let crossedAt = state.newest.flatMap { ruler.crossing(position: position, from: $0, to: fix) }
            presence.pending = .init(fix: fix, count: 1, crossedAt: crossedAt)
        case (.entering, .inside), (.exiting, .outside): presence.pending?.count += 1
        case (.exiting, .inside), (.inside, .inside):
            presence.phase = .inside
            presence.pending = nil
            if let visit = presence.visit, isDwellDue(presence, position, fix) {
                return dwell(presence, since: visit, at: fix.time, fix, inferred: false, &out)
            }
        }
        guard let pending = presence.pending, pending.isConfirmed(policy, at: fix.time) else { return presence }
        guard let confirmed = confirm(presence, pending, at: fix.time, &out) else { return nil }
        // An enter that is dated back may have its dwell behind it already.
        guard let visit = confirmed.visit, isDwellDue(confirmed, position, fix),
            let wait = fences.entries[position].geofence.dwell
        else { return confirmed }
        return dwell(confirmed, since: visit, at: visit.enteredAt + wait, sure: fix.time, fix, inferred: true, &out)
    }

    /// A pending change becomes a fact.
    func confirm(
        _ presence: Presence, _ pending: Presence.Pending, at now: Instant, _ out: inout [Transition]
    ) -> Presence? {
        if presence.phase == .entering { return enter(presence.fence, showed: pending, at: now, .moved, &out) }
        out.append(
            Transition(
                type: .exit, fence: presence.fence, occurredAt: max(pending.fix.time, presence.visit?.enteredAt ?? .earliest),
                confirmedAt: max(now, presence.visit?.enteredAt ?? .earliest), crossedAt: pending.crossedAt, cause: .moved,
                fix: pending.fix, visit: presence.visit))
        return nil
    }

    private func enter(
        _ fence: FenceKey, showed: Presence.Pending, at now: Instant, _ cause: Cause, _ out: inout [Transition]
    ) -> Presence {
        out.append(
            Transition(
                type: .enter, fence: fence, occurredAt: showed.fix.time, confirmedAt: now, crossedAt: showed.crossedAt,
                cause: cause, fix: showed.fix))
        return Presence(fence: fence, phase: .inside, visit: .init(enteredAt: showed.fix.time, cause: cause))
    }

    func dwell(
        _ presence: Presence, since visit: OpenVisit, at time: Instant, sure: Instant? = nil, _ fix: Fix, inferred: Bool,
        _ out: inout [Transition]
    ) -> Presence {
        out.append(
            Transition(
                type: .dwell, fence: presence.fence, occurredAt: time, confirmedAt: sure ?? time, cause: .moved,
                inferred: inferred,
                fix: fix, visit: visit))
        var presence = presence
        presence.visit?.hasDwelt = true
        return presence
    }

    // MARK: - Fences that change around a device

    /// Judges anew, by the device's newest fix, what has changed about the fences since. Presences in fences that are no more,
    /// or no more for this device, end.
    ///
    /// It happens in the device's own time: at its newest fix.
    ///
    /// - Parameters:
    ///   - changed: The fences that are new or different; nil for all of them.
    ///   - removed: Fences that were deleted; exits from them have that cause.
    public func adopt(
        changed: Set<FenceKey>?, removed: Set<FenceKey> = [], _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        guard let fix = state.newest else { return }
        let start = out.count
        let vector = EarthVector(fix.coordinate)
        for index in state.presences.indices.reversed() {
            let presence = state.presences[index]
            guard let position = fences.position(of: presence.fence), applies(position, state) else {
                leave(presence, removed.contains(presence.fence) ? .fenceRemoved : .fenceChanged, fix, &out)
                put(nil, at: index, &state)
                continue
            }
            guard changed?.contains(presence.fence) ?? true else { continue }
            let isFirst = presence.visit == nil
            let reading = ruler.reading(position: position, fix, vector, policy(position, state), isFirst: isFirst)
            // What was pending was seen against the fence as it was.
            switch reading {
            case .inside where isFirst: put(enter(presence.fence, around: fix, &out), at: index, &state)
            case .outside:
                leave(presence, .fenceChanged, fix, &out)
                put(nil, at: index, &state)
            case .inside, .unsure:
                put(
                    Presence(fence: presence.fence, phase: isFirst ? .unknown : .inside, visit: presence.visit), at: index, &state
                )
            }
        }
        // As for a first fix: a coarse one leaves the fences around it unknown.
        let margin = fix.reckonedAccuracy > 0 ? state.policy.exitMargin.most : 0
        let around = BoundingBox(around: fix.coordinate, radius: fix.reckonedAccuracy + margin)
        for position in fences.index.candidates(meeting: around) {
            let key = fences.entries[position].key
            guard changed?.contains(key) ?? true, applies(position, state), state.index(of: key) == nil else { continue }
            switch ruler.reading(position: position, fix, vector, policy(position, state), isFirst: true) {
            case .inside: put(enter(key, around: fix, &out), at: nil, &state)
            case .unsure: put(Presence(fence: key, phase: .unknown), at: nil, &state)
            case .outside: break
            }
        }
        order(&out, from: start)
        state.due = due(state)
    }

    private func enter(_ fence: FenceKey, around fix: Fix, _ out: inout [Transition]) -> Presence {
        enter(fence, showed: .init(fix: fix, count: 1, crossedAt: nil), at: fix.time, .fenceChanged, &out)
    }

    /// Takes in what a phone's own system knows of a fence after the device's newest fix.
    ///
    /// Nothing follows when it is what is known already, when the device has not reported yet, or for a fence that is not
    /// active or not for the device.
    public func reconcile(
        _ geofenceID: String, isInside: Bool, at moment: Instant, _ state: inout DeviceState, _ out: inout [Transition]
    ) {
        guard let fix = state.newest, moment >= fix.time,
            let position = fences.entries.firstIndex(where: { $0.geofence.id == geofenceID }), applies(position, state)
        else { return }
        let key = fences.entries[position].key
        let index = state.index(of: key)
        let visit = index.flatMap { state.presences[$0].visit }
        guard isInside != (visit != nil) else { return }
        // A visit that another report began may be younger.
        let moment = max(moment, visit?.enteredAt ?? .earliest)
        out.append(
            Transition(
                type: isInside ? .enter : .exit, fence: key, occurredAt: moment, confirmedAt: moment, cause: .reconciled,
                fix: fix,
                visit: visit))
        let entered = Presence(fence: key, phase: .inside, visit: .init(enteredAt: moment, cause: .reconciled))
        put(isInside ? entered : nil, at: index, &state)
        state.due = due(state)
    }

    /// Ends all of a device's visits at its newest fix.
    public func leaveAll(_ cause: Cause, _ state: inout DeviceState, _ out: inout [Transition]) {
        guard let fix = state.newest else { return }
        let start = out.count
        for index in state.presences.indices.reversed() {
            leave(state.presences[index], cause, fix, &out)
            put(nil, at: index, &state)
        }
        order(&out, from: start)
        state.due = nil
    }

    private func leave(_ presence: Presence, _ cause: Cause, _ fix: Fix, _ out: inout [Transition]) {
        guard let visit = presence.visit else { return }
        // A visit that a phone's own report began may be younger than the newest fix.
        let moment = max(fix.time, visit.enteredAt)
        out.append(
            Transition(
                type: .exit, fence: presence.fence, occurredAt: moment, confirmedAt: moment, cause: cause, fix: fix,
                visit: visit))
    }

    // MARK: - Small questions

    func policy(_ position: Int, _ state: DeviceState) -> DecisionPolicy {
        fences.special[position] ? fences.entries[position].geofence.policy.applied(to: state.policy) : state.policy
    }

    private func isDwellDue(_ presence: Presence, _ position: Int, _ fix: Fix) -> Bool {
        dwellDue(presence, position).map { $0 <= fix.time } ?? false
    }

    /// When the dwell of a visit falls due; nil when it has been told, or there is none to tell.
    func dwellDue(_ presence: Presence, _ position: Int) -> Instant? {
        guard fences.hasDwells, let visit = presence.visit, !visit.hasDwelt else { return nil }
        return fences.entries[position].geofence.dwell.map { visit.enteredAt + $0 }
    }

    private func applies(_ position: Int, _ state: DeviceState) -> Bool {
        !fences.special[position] || fences.entries[position].geofence.applies(to: state.device)
    }

    /// Writes what has become of a presence: in its place, or as a new one.
    func put(_ presence: Presence?, at index: Int?, _ state: inout DeviceState) {
        switch (presence, index) {
        case (let presence?, let index?): state.presences[index] = presence
        case (let presence?, nil): state.presences.append(presence)
        case (nil, let index?):
            state.changes.append(state.presences.remove(at: index).fence)
            return
        case (nil, nil): return
        }
        if let presence { state.changes.append(presence.fence) }
    }

    /// A return first, then exits, enters, dwells, then silence; within each by geofence id.
    func order(_ out: inout [Transition], from start: Int) {
        guard out.count - start > 1 else { return }
        func rank(_ type: EventType) -> Int {
            switch type {
            case .returned: 0
            case .exit: 1
            case .enter: 2
            case .silent: 4
            default: 3
            }
        }
        func fence(_ transition: Transition) -> (String, Int32) {
            transition.fence.map { (fences.id($0), $0.value) } ?? ("", 0)
        }
        out[start...].sort { a, b in
            rank(a.type) != rank(b.type) ? rank(a.type) < rank(b.type) : fence(a) < fence(b)
        }
    }
}
