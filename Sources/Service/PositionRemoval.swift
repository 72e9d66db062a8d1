import Model
import Store
import Timeline

/// The result of removing a device's positions from a time on.
package struct PositionRemoval: Hashable, Sendable {
    package var deviceId: String
    /// The time of the earliest position that is removed, or an earlier time.
    package var since: Instant
    /// The number of positions.
    package var positions: Int
    /// The numbers of events that were retracted and added; nil if nothing was changed because it was only asked.
    package var retracted: Int?
    package var new: Int?

    package init(deviceId: String, since: Instant, positions: Int, retracted: Int? = nil, new: Int? = nil) {
        self.deviceId = deviceId
        self.since = since
        self.positions = positions
        self.retracted = retracted
        self.new = new
    }
}

extension PositionRemoval: JSONDescribed {
    package static let shape = JSONShape<PositionRemoval>(
        "PositionRemoval", summary: "The positions of a device from a time on, and what their removal led to",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.deviceId),
        .init("since", kind: .time, summary: "The time from which on positions are removed", content: \.since),
        .init("positions", kind: .whole, summary: "The number of these positions", content: \.positions),
        .init("retracted", optional: .whole, summary: "Retracted events; absent with 'dryRun'", content: \.retracted),
        .init("new", optional: .whole, summary: "New events; absent with 'dryRun'", content: \.new)
    ) { deviceId, since, positions, retracted, new in
        PositionRemoval(deviceId: deviceId, since: since, positions: positions, retracted: retracted, new: new)
    }
}

extension Queries {
    /// The positions of a device from a moment on, which `ServiceWriter.removePositions(ofDevice:since:)` would remove.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown.
    package func previewPositionRemoval(ofDevice id: String, since moment: Instant) throws(Problem) -> PositionRemoval {
        let key = try storedDevice(id: id).key
        return PositionRemoval(deviceId: id, since: moment, positions: try store.fixCount(of: key, since: moment))
    }
}

extension ServiceWriter {
    /// Removes the positions of a device from a moment on, in one transaction. What is left is evaluated again with the late positions that
    /// wait, and the events that follow from it no more are retracted.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown; `Problem.conflict` if the positions that are left are not enough to evaluate
    ///   the device again, because older ones were deleted or never kept. Then nothing is removed.
    package func removePositions(ofDevice id: String, since moment: Instant) throws(Problem) -> PositionRemoval {
        let stored = try storedDevice(id: id)
        let slot = try loadSlot(of: stored)
        interruptReplay(ofDevice: stored.key)
        return try transaction { () throws(Problem) in
            keepForUndo(slot)
            let state = slots[slot].state
            let end = [state.lateBefore, state.lastHeard].compactMap { $0 }.max() ?? .earliest
            let count = try store.removeFixes(of: stored.key, since: moment, eventsUpTo: end)
            slots[slot].eventsUpTo = max(slots[slot].eventsUpTo, end)
            var removal = PositionRemoval(deviceId: id, since: moment, positions: count, retracted: 0, new: 0)
            guard slots[slot].state.newest != nil else { return removal }
            let waiting = try store.earliestWaitingFix(of: stored.key)
            guard let replay = try beginReplay(of: stored, from: min(moment, waiting ?? moment)) else {
                throw .conflict(kind: .device, id: id, reason: .cannotBeEvaluatedAgain)
            }
            _ = try replay.replay()
            unscheduleDeadline(of: stored.key)
            let counts = try saveCorrection(try replay.correction(), by: replay, slot).counts
            (removal.retracted, removal.new) = (counts.retracted, counts.new)
            try resolveClockProblem(ofSlot: slot)
            return removal
        }
    }
}
