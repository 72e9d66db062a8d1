import Model
import Monitor

extension DeviceState {
    /// Describes the first difference from a state that was computed another way; nil when there is none.
    package func difference(from other: DeviceState) -> String? {
        if newest != other.newest {
            return "its newest fix is of \(newest?.time.description ?? "no time"), but by a replay of "
                + (other.newest?.time.description ?? "no time")
        }
        for presence in other.fenceStates {
            guard let known = self.fenceState(of: presence.fence) else {
                return
                    "it is stored as outside of geofence number \(presence.fence.value), but by a replay it is \(presence.phase)"
            }
            guard known.hasSameStoredValues(as: presence) else {
                return
                    "at geofence number \(presence.fence.value) it is stored as \(known.phase), but by a replay it is \(presence.phase), "
                    + "or since another time"
            }
        }
        if let surplus = fenceStates.first(where: { other.fenceState(of: $0.fence) == nil }) {
            return "it is stored as \(surplus.phase) at geofence number \(surplus.fence.value), but by a replay it is outside"
        }
        if outlierCandidate != other.outlierCandidate {
            return
                "the fix that it doubts is stored as of \(outlierCandidate?.time.description ?? "no time"), but by a replay it is of "
                + (other.outlierCandidate?.time.description ?? "no time")
        }
        if stay != other.stay { return "the stored place where it stays differs from that of a replay" }
        let moments: [(name: String, mine: Instant?, theirs: Instant?)] = [
            ("deadline", deadline, other.deadline), ("deadline of geofences", fenceDeadline, other.fenceDeadline),
            ("last sign of life", lastHeard, other.lastHeard),
            ("last deadline that fired", deadlinesFiredBefore, other.deadlinesFiredBefore),
            ("last report by the phone", lastReport, other.lastReport),
        ]
        for (name, mine, theirs) in moments where mine != theirs {
            return
                "its \(name) is stored as \(mine?.description ?? "none"), but by a replay it is \(theirs?.description ?? "none")"
        }
        if isSilent == other.isSilent { return nil }
        return "it is stored as \(isSilent ? "" : "not ")silent, but by a replay it is \(isSilent ? "not " : "")silent"
    }
}

extension FenceState {
    /// Whether another state has the same stored values.
    fileprivate func hasSameStoredValues(as other: FenceState) -> Bool {
        guard phase == other.phase, visit == other.visit else { return false }
        switch (pending, other.pending) {
        case (nil, nil): return true
        case (let mine?, let theirs?):
            return mine.count == theirs.count && mine.crossedAt == theirs.crossedAt && mine.leftAt == theirs.leftAt
                && mine.fix.hasSameRecord(as: theirs.fix)
                && mine.before.map { fix in theirs.before.map(fix.hasSameRecord) ?? false } ?? (theirs.before == nil)
        default: return false
        }
    }
}

extension Fix {
    /// Whether another fix has the same time, coordinate and accuracy, which are what is recorded with a decision.
    func hasSameRecord(as other: Fix) -> Bool {
        time == other.time && coordinate == other.coordinate && accuracy == other.accuracy
    }
}
