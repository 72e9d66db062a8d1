import Geodesy
import Geometry
import Model

@testable import Monitor

/// A second, simple implementation of the engine's rules: every fix is evaluated against every fence, without caches. It is slow, and
/// written from the rules alone; where it differs from the engine, one of them is wrong.
struct ReferenceEngine {
    struct Pending {
        var fix: Fix
        var count = 1
        var crossedAt: Instant?
        var leftAt: Instant?
        var before: Fix?
    }

    struct Stand {
        var phase: FenceState.Phase
        var pending: Pending?
        var visit: OpenVisit?
        var dweltAt: Instant?
    }

    let device: Device
    let policy: DecisionPolicy
    let areas: [ReferenceArea]
    private(set) var emitted: [Transition] = []
    private(set) var newest: Fix?
    private var suspect: Fix?
    /// Whether the suspect fix has been evaluated against the fences that it lies in, because it was alone for a minute.
    private var hasArrived = false
    private var stay: ReferenceStay?
    private var stands: [FenceKey: Stand] = [:]
    private var heardAt: Instant?
    private var isSilent = false
    /// The transitions of the current moment, each with its rank: return 0, pass-through 1, exit 2, enter 3, dwell 4, silence 5.
    private var moment: [(rank: Int, transition: Transition)] = []

    init(_ entries: [FenceSet.KeyedGeofence], device: Device, policy: DecisionPolicy) throws(GEOSFailure) {
        self.device = device
        self.policy = device.policy.applied(to: policy)
        var areas: [ReferenceArea] = []
        for entry in entries where entry.geofence.isActive && entry.geofence.applies(to: device) {
            areas.append(try ReferenceArea(entry))
        }
        self.areas = areas
    }

    // MARK: - A fix

    mutating func observe(_ fix: Fix) {
        advance(before: fix.time)
        let wasSilent = isSilent
        record(lifeAt: fix.time, fix)
        emitMoment()
        // A fix that noise explains as a measurement of the stay point is never an outlier.
        let doubt = doubt(about: fix)
        if doubt.isNone {
            // A coarse fix, if it does not come at once, leaves open whether the device has left.
            if keepsSuspect(fix) {
                let usual = policy
                evaluate(Spot(fix), from: newest, sure: fix.time) { $0.policy(usual).stay == 0 }
                emitMoment()
                newest = fix
            } else {
                suspect = nil
                accept(fix)
            }
        } else if let suspect, speed(suspect, fix) <= fastest(doubt.leaves, fix) {
            believe(suspect, sure: fix.time)
            emitMoment()
            accept(fix)
        } else if let newest {
            let usual = policy
            evaluate(Spot(fix), from: newest, sure: fix.time) { !doubt.isShared(by: $0.policy(usual)) }
            emitMoment()
            suspect = fix
            hasArrived = false
        }
        if wasSilent { emitWaitingDwells(at: fix.time) }
        while let next = fenceDeadline, next <= fix.time {
            fire(next, sure: fix.time)
            emitMoment()
        }
    }

    /// Why a fix is not believed before another fix agrees.
    struct Doubt {
        /// The speed that the fix implies; nil if it does not exceed the policy's maximum.
        var speed: Double?
        /// Whether the fix lies away from the stay point.
        var leaves = false

        var isNone: Bool { speed == nil && !leaves }

        func isShared(by policy: DecisionPolicy) -> Bool {
            speed.map { policy.maxSpeed < $0 } ?? false || leaves && policy.stay > 0
        }
    }

    private func doubt(about fix: Fix) -> Doubt {
        // A fix that noise explains as a measurement of the stay point is never an outlier.
        let explained = isPrecise(fix) ? stay?.explains(fix, limit: policy.stay) ?? false : false
        if explained, stay?.joined(by: fix, limit: policy.stay).isSettled ?? false { return Doubt() }
        let leaves = isPrecise(fix) && !explained && (stay?.isSettled ?? false)
        // Coarse fixes are no outliers, and neither is the fix after one.
        guard let newest, !isCoarse(fix), !isCoarse(newest) else { return Doubt(leaves: leaves) }
        let speed = speed(newest, fix)
        return Doubt(speed: speed > policy.maxSpeed ? speed : nil, leaves: leaves)
    }

    /// Whether a coarse fix leaves open whether the device has left its stay point: not if fixes come every ten seconds.
    private func keepsSuspect(_ fix: Fix) -> Bool {
        guard isLeaving, isCoarse(fix), let suspect else { return false }
        let isRare = newest.map { $0.time > suspect.time || suspect.time - $0.time > 10 } ?? true
        return isRare || fix.time - suspect.time > 10
    }

    /// Whether fixes have come since a pending transition: precise ones, or any if they come every ten seconds.
    private func hasNewer(than pending: Pending) -> Bool {
        guard let newest else { return false }
        let isFrequent = pending.before.map { pending.fix.time - $0.time <= 10 } ?? false
        let last = isCoarse(newest) && !isFrequent ? stay?.last ?? newest.time : newest.time
        return last > pending.fix.time
    }

    /// Whether the device may be elsewhere than in a fence that it entered.
    private func isUncertain(_ stand: Stand) -> Bool {
        isSilent || isLeaving && (stand.visit?.enteredAt ?? .earliest) < suspect?.time ?? .earliest
    }

    private func isCoarse(_ fix: Fix) -> Bool { fix.accuracyOrZero > policy.maxAccuracy }

    /// Whether a fix is precise enough to take part in a stay.
    private func isPrecise(_ fix: Fix) -> Bool {
        policy.stay > 0 && fix.accuracyOrZero > 0 && fix.accuracyOrZero <= min(policy.maxAccuracy, 10_000)
    }

    /// The maximum speed at which a fix confirms the suspect one.
    private func fastest(_ leaves: Bool, _ fix: Fix) -> Double {
        guard leaves, let newest, fix.time - newest.time <= 60 else { return policy.maxSpeed }
        return min(100, policy.maxSpeed)
    }

    private var isLeaving: Bool { suspect != nil && stay?.isSettled ?? false }

    private mutating func record(stayAt fix: Fix) {
        if isPrecise(fix) {
            stay =
                stay.flatMap { $0.explains(fix, limit: policy.stay) ? $0.joined(by: fix, limit: policy.stay) : nil }
                ?? ReferenceStay(fix)
        } else if policy.stay == 0 || fix.accuracyOrZero == 0 {
            stay = nil
        }
    }

    private mutating func accept(_ fix: Fix) {
        record(stayAt: fix)
        if let stay, stay.isSettled, isPrecise(fix) {
            let usual = policy
            evaluate(Spot(fix), from: newest, sure: fix.time) { $0.policy(usual).stay == 0 }
            evaluate(Spot(fix: fix, place: stay.place, accuracy: stay.accuracy, isMean: true), from: nil, sure: fix.time) {
                $0.policy(usual).stay > 0
            }
        } else {
            evaluate(Spot(fix), from: newest, sure: fix.time) { _ in true }
        }
        emitMoment()
        newest = fix
    }

    private mutating func believe(_ suspect: Fix, sure: Instant) {
        let doubt = doubt(about: suspect)
        stay = nil
        record(stayAt: suspect)
        // A coarse fix may have come since.
        let before = newest.flatMap { $0.time <= suspect.time ? $0 : nil }
        let usual = policy
        evaluate(Spot(suspect), from: doubt.speed == nil ? before : nil, sure: sure) {
            doubt.isNone || doubt.isShared(by: $0.policy(usual))
        }
        if before != nil { newest = suspect }
        self.suspect = nil
    }

    /// When the suspect fix may count although no other has come.
    private var suspectDeadline: Instant? {
        guard let suspect else { return nil }
        if !hasArrived, newest.map({ $0.time < suspect.time + 60 }) ?? true { return suspect.time + 60 }
        return suspectEnd
    }

    /// When the suspect fix counts wherever it lies.
    private var suspectEnd: Instant? {
        guard let suspect, doubt(about: suspect).speed == nil else { return nil }
        return suspect.time + wait(from: stay?.last ?? newest?.time, to: suspect.time)
    }

    /// How long a single fix waits for the next one: 1.5 times as long as the one before was ago, from a minute to 90.
    private func wait(from before: Instant?, to moment: Instant) -> Double {
        before.map { max(60, min(5400, 1.5 * (moment - $0))) } ?? 60
    }

    /// Evaluates the suspect fix against the fences that the device has not entered, if it lies certainly inside.
    private mutating func arrive(_ suspect: Fix, sure: Instant) {
        let doubt = doubt(about: suspect)
        for area in areas where stands[area.key]?.visit == nil && (doubt.isNone || doubt.isShared(by: area.policy(policy))) {
            let verdict = area.verdict(suspect.coordinate, suspect.accuracyOrZero, area.policy(policy), isFirst: false)
            if verdict != .inside { continue }
            stands[area.key] = step(area, stands[area.key], Spot(suspect), from: nil, sure: sure)
        }
        hasArrived = true
    }

    /// A fix and the position at which it is evaluated.
    struct Spot {
        let fix: Fix
        let place: Coordinate
        let accuracy: Double
        let isMean: Bool

        init(_ fix: Fix) { self.init(fix: fix, place: fix.coordinate, accuracy: fix.accuracyOrZero) }

        init(fix: Fix, place: Coordinate, accuracy: Double, isMean: Bool = false) {
            (self.fix, self.place, self.accuracy, self.isMean) = (fix, place, accuracy, isMean)
        }
    }

    /// The lowest speed that two fixes imply: their distance less both accuracies, over at least a second.
    private func speed(_ a: Fix, _ b: Fix) -> Double {
        max(0, Geodesic.distance(a.coordinate, b.coordinate) - a.accuracyOrZero - b.accuracyOrZero) / max(1, b.time - a.time)
    }

    private mutating func evaluate(_ spot: Spot, from before: Fix?, sure: Instant, _ asks: (ReferenceArea) -> Bool) {
        for area in areas where asks(area) { stands[area.key] = step(area, stands[area.key], spot, from: before, sure: sure) }
    }

    /// The next state of one fence after a fix; nil is outside.
    private mutating func step(_ area: ReferenceArea, _ known: Stand?, _ spot: Spot, from before: Fix?, sure: Instant) -> Stand? {
        let fix = spot.fix
        let policy = area.policy(policy)
        let isFirst = known?.phase == .unknown || newest == nil
        let verdict = area.verdict(spot.place, spot.accuracy, policy, isFirst: isFirst, isMean: spot.isMean)
        if isFirst {
            switch verdict {
            case .inside: return enter(area, fix, nil, sure: sure, .initial)
            case .outside: return nil
            case .unsure: return Stand(phase: .unknown)
            }
        }
        guard var stand = known else {
            if verdict == .inside {
                return confirmed(area, entering(area, fix, from: before), fix, sure: sure, wasInside: false)
            }
            return passing(area, from: before, fix).flatMap { confirmed(area, $0, fix, sure: sure, wasInside: false) }
        }
        switch (stand.phase, verdict) {
        case (.exiting, .unsure) where spot.accuracy < stand.pending?.fix.accuracyOrZero ?? 0:
            stand.phase = .inside
            stand.pending = nil
        case (_, .unsure): return stand
        case (.entering, .inside), (.exiting, .outside): stand.pending?.count += 1
        case (.entering, .outside):
            // The path to a fix that was confirmed by a later one is unknown.
            guard let way = before == nil ? nil : passing(area, from: stand.pending?.before, fix) else { return nil }
            stand = way
            if let entered = known?.pending?.crossedAt { stand.pending?.crossedAt = entered }
            if let before, let left = area.crossing(before, fix) { stand.pending?.leftAt = left }
            if let enter = stand.pending?.crossedAt, let exit = stand.pending?.leftAt { stand.pending?.leftAt = max(enter, exit) }
        case (.inside, .outside):
            stand.phase = .exiting
            stand.pending = Pending(fix: fix, crossedAt: before.flatMap { area.crossing($0, fix) }, before: before)
        case (.exiting, .inside), (.inside, .inside):
            stand.phase = .inside
            stand.pending = nil
        case (.passing, .inside): stand = entering(area, fix, from: before)
        case (.passing, .outside) where stand.pending?.count == 0:
            stand.pending?.count = 1
            stand.pending?.fix = fix
            if let left = before.flatMap({ area.crossing($0, fix) }) { stand.pending?.leftAt = left }
        case (.passing, .outside):
            guard let ended = stand.pending?.fix, area.passage(ended, spot.place, at: fix.time, depth: 0) == nil else {
                return nil
            }
            stand.pending?.count += 1
        case (.unknown, _): fatalError("unknown is no state that a fix was evaluated in before")
        }
        return confirmed(area, stand, fix, sure: sure, wasInside: known?.visit != nil)
    }

    private func entering(_ area: ReferenceArea, _ fix: Fix, from before: Fix?) -> Stand {
        Stand(
            phase: .entering,
            pending: Pending(fix: fix, crossedAt: before.flatMap { area.crossing($0, fix) }, before: before))
    }

    /// A pending pass-through, if the path leads through the fence and is short enough in time.
    private func passing(_ area: ReferenceArea, from before: Fix?, _ fix: Fix) -> Stand? {
        let policy = area.policy(policy)
        guard policy.crossing > 0, let before, fix.time - before.time <= policy.crossing else { return nil }
        // A path counts only below the maximum speed on the ground, and if it is deeper than twice the accuracy and a bend in the
        // way.
        let clearance = 2 * max(before.accuracyOrZero, fix.accuracyOrZero)
        if clearance > 0, speed(before, fix) > 100 { return nil }
        let depth = max(clearance, Geodesic.distance(before.coordinate, fix.coordinate) / 20)
        guard let way = area.passage(before, fix, depth: depth) else { return nil }
        let count = area.distance(fix.coordinate) > clearance ? 1 : 0
        return Stand(phase: .passing, pending: Pending(fix: fix, count: count, crossedAt: way.enter, leftAt: way.exit))
    }

    /// Confirms the pending transition if enough fixes showed it for long enough, and emits the dwell if it is due.
    private mutating func confirmed(
        _ area: ReferenceArea, _ stand: Stand, _ fix: Fix, sure: Instant, wasInside: Bool
    ) -> Stand? {
        var stand = stand
        if let pending = stand.pending {
            let policy = area.policy(policy)
            guard pending.count >= policy.confirmFixes, sure - pending.fix.time >= policy.confirmSeconds else { return stand }
            guard let settled = settle(area, stand, pending, sure: sure) else { return nil }
            stand = settled
        }
        if let due = dwellDue(area, stand), due <= fix.time {
            dwell(area, &stand, at: wasInside ? fix.time : due, sure: sure, fix, inferred: !wasInside)
        }
        return stand
    }

    // MARK: - Transitions

    private mutating func settle(_ area: ReferenceArea, _ stand: Stand, _ pending: Pending, sure: Instant) -> Stand? {
        if stand.phase == .entering { return enter(area, pending.fix, pending.crossedAt, sure: sure, .moved) }
        if stand.phase == .passing, let enteredAt = pending.crossedAt, let leftAt = pending.leftAt {
            for (type, time) in [(EventType.enter, enteredAt), (.exit, leftAt)] {
                record(
                    1,
                    Transition(
                        type: type, fence: area.key, occurredAt: time, confirmedAt: sure, crossedAt: time, cause: .moved,
                        inferred: true, fix: pending.fix,
                        visit: type == .exit ? OpenVisit(enteredAt: enteredAt, cause: .moved) : nil))
            }
            return nil
        }
        let earliest = max(stand.visit?.enteredAt ?? .earliest, stand.dweltAt ?? .earliest)
        record(
            2,
            Transition(
                type: .exit, fence: area.key, occurredAt: max(pending.fix.time, earliest), confirmedAt: max(sure, earliest),
                crossedAt: pending.crossedAt, cause: .moved, fix: pending.fix, visit: stand.visit))
        return nil
    }

    private mutating func enter(_ area: ReferenceArea, _ fix: Fix, _ crossedAt: Instant?, sure: Instant, _ cause: Cause) -> Stand
    {
        record(
            3,
            Transition(
                type: .enter, fence: area.key, occurredAt: fix.time, confirmedAt: sure, crossedAt: crossedAt, cause: cause,
                fix: fix))
        return Stand(phase: .inside, visit: OpenVisit(enteredAt: fix.time, cause: cause))
    }

    private mutating func dwell(
        _ area: ReferenceArea, _ stand: inout Stand, at time: Instant, sure: Instant, _ fix: Fix, inferred: Bool
    ) {
        record(
            4,
            Transition(
                type: .dwell, fence: area.key, occurredAt: time, confirmedAt: sure, cause: .moved, inferred: inferred, fix: fix,
                visit: stand.visit))
        stand.visit?.hasDwelt = true
        stand.dweltAt = time
    }

    private mutating func record(_ rank: Int, _ transition: Transition) { moment.append((rank, transition)) }

    private mutating func emitMoment() {
        let ids = Dictionary(uniqueKeysWithValues: areas.map { ($0.key, $0.geofence.id) })
        func id(_ index: Int) -> String { moment[index].transition.fence.flatMap { ids[$0] } ?? "" }
        let order = moment.indices.sorted { (moment[$0].rank, id($0), $0) < (moment[$1].rank, id($1), $1) }
        emitted += order.map { moment[$0].transition }
        moment.removeAll()
    }

    // MARK: - Time

    private func dwellDue(_ area: ReferenceArea, _ stand: Stand) -> Instant? {
        guard stand.phase == .inside, let visit = stand.visit, !visit.hasDwelt else { return nil }
        return area.geofence.dwell.map { visit.enteredAt + $0 }
    }

    private func due(_ area: ReferenceArea) -> Instant? {
        guard let stand = stands[area.key] else { return nil }
        guard let pending = stand.pending else { return isUncertain(stand) ? nil : dwellDue(area, stand) }
        let policy = area.policy(policy)
        if pending.count >= policy.confirmFixes { return pending.fix.time + min(policy.confirmSeconds, 60) }
        if hasNewer(than: pending) { return pending.fix.time + 300 }
        // An exit by a single fix waits for the next one.
        return pending.fix.time + (stand.phase == .exiting ? wait(from: pending.before?.time, to: pending.fix.time) : 60)
    }

    /// The earliest deadline of a fence or the suspect fix.
    private var fenceDeadline: Instant? { (areas.compactMap(due) + [suspectDeadline].compactMap(\.self)).min() }

    /// Fires all deadlines at a moment.
    private mutating func fire(_ next: Instant, sure: Instant) {
        if let suspect, suspectDeadline == next {
            if suspectEnd.map({ $0 <= next }) ?? false {
                believe(suspect, sure: sure)
            } else if next == suspect.time + 60 {
                arrive(suspect, sure: sure)
            }
        }
        for area in areas where due(area) == next {
            guard var stand = stands[area.key], let seen = newest else { continue }
            guard let pending = stand.pending else {
                dwell(area, &stand, at: next, sure: sure, seen, inferred: true)
                stands[area.key] = stand
                continue
            }
            let isLast = !hasNewer(than: pending)
            if pending.count >= area.policy(policy).confirmFixes || isLast && pending.count > 0 {
                stands[area.key] = settle(area, stand, pending, sure: sure)
            } else if stand.phase == .exiting {
                (stand.phase, stand.pending) = (.inside, nil)
                if let due = dwellDue(area, stand), due <= sure, !isUncertain(stand) {
                    dwell(area, &stand, at: sure, sure: sure, seen, inferred: true)
                }
                stands[area.key] = stand
            } else {
                stands[area.key] = nil
            }
        }
    }

    mutating func advance(before now: Instant) {
        var latest = Instant.earliest
        while true {
            let silence = isSilent ? nil : heardAt.map { $0 + device.silentAfter }
            guard let next = [fenceDeadline, silence].compactMap(\.self).min(), next < now, newest != nil else {
                return
            }
            latest = max(latest, next)
            fire(next, sure: latest)
            if silence == next {
                guard let seen = newest else { return }
                isSilent = true
                record(
                    5,
                    Transition(
                        type: .silent, fence: nil, occurredAt: next, confirmedAt: next, cause: .silence, inferred: true,
                        fix: seen, lastHeard: heardAt))
            }
            emitMoment()
        }
    }

    /// A sign of life without a position.
    mutating func heard(at now: Instant) {
        guard newest != nil else { return }
        advance(before: now)
        guard let heardAt, let newest, now > heardAt else { return }
        record(lifeAt: now, newest)
        emitWaitingDwells(at: now)
    }

    private mutating func record(lifeAt now: Instant, _ fix: Fix) {
        if isSilent {
            record(
                0,
                Transition(
                    type: .returned, fence: nil, occurredAt: now, confirmedAt: now, cause: .silence, fix: fix,
                    lastHeard: heardAt))
        }
        isSilent = false
        heardAt = heardAt.map { max($0, now) } ?? now
    }

    /// Emits dwells that came due during a silence.
    private mutating func emitWaitingDwells(at now: Instant) {
        for area in areas {
            guard var stand = stands[area.key], !isUncertain(stand), let due = dwellDue(area, stand), due <= now, let newest
            else { continue }
            dwell(area, &stand, at: now, sure: now, newest, inferred: true)
            stands[area.key] = stand
        }
        emitMoment()
    }
}
