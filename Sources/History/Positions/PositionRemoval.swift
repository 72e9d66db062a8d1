import Core
import Model
import Presence
import Store

/// The result of removing a device's positions from a time on.
package struct PositionRemoval: Hashable, Sendable {
    package var deviceId: String
    /// The time of the earliest position that is removed, or an earlier time.
    var since: Instant
    /// The number of positions.
    package var positions: Int
    /// The numbers of events that were retracted and added; nil if the removal was only previewed.
    package var retracted: Int?
    package var new: Int?

    init(deviceId: String, since: Instant, positions: Int, retracted: Int? = nil, new: Int? = nil) {
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
    /// The positions of a device from a moment on, which `ServiceWriter.removePositionsStep(_:limit:)` would remove.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown.
    func previewPositionRemoval(ofDevice id: String, since moment: Instant) throws(Problem) -> PositionRemoval {
        let key = try storedDevice(id: id).key
        return PositionRemoval(deviceId: id, since: moment, positions: try store.fixCount(of: key, since: moment))
    }
}

extension ServiceWriter {
    /// Performs one step of removing a device's positions. When all are removed, the remaining positions are evaluated again,
    /// together with the late positions that wait, and the events that no longer follow are retracted. If older positions were
    /// deleted or never kept, the device cannot be evaluated again, so it starts again.
    ///
    /// After a crash between two steps, the automatic replay evaluates the remaining positions, and the removal can be repeated.
    ///
    /// - Parameter limit: The maximum number of positions to remove or to evaluate, which takes a few milliseconds for 5,000.
    /// - Returns: Whether the removal is done.
    /// - Throws: `Problem.notFound` if the device is unknown.
    package func removePositionsStep(_ ongoing: inout OngoingPositionRemoval, limit: Int) throws(Problem) -> Bool {
        let stored = try storedDevice(id: ongoing.removal.deviceId)
        let deviceIndex = try loadDevice(of: stored)
        guard ongoing.isEvaluating else {
            try removeFixes(of: stored, deviceIndex, &ongoing, limit: limit)
            return ongoing.isEvaluating && loadedState(ofDeviceAt: deviceIndex).lateBefore == nil
        }
        var counts = ReplayCounts()
        if loadedState(ofDeviceAt: deviceIndex).newest != nil {
            guard let done = try replayStep(device: stored.device.id, since: ongoing.removal.since, limit: limit) else {
                return false
            }
            counts = done.counts
        }
        // A device without a state has started again before.
        if loadedState(ofDeviceAt: deviceIndex).newest == nil || counts.skipped > 0 {
            counts = try restart(stored, deviceIndex, from: ongoing.removal.since)
        }
        (ongoing.removal.retracted, ongoing.removal.new) = (counts.retracted, counts.new)
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try resolveClockProblem(ofDeviceAt: deviceIndex, in: transaction)
        }
        return true
    }

    private func removeFixes(
        of stored: PicketStore.StoredDevice, _ deviceIndex: Int, _ ongoing: inout OngoingPositionRemoval, limit: Int
    ) throws(Problem) {
        interruptReplay(ofDevice: stored.key)
        let moment = ongoing.removal.since
        let count = try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let state = loadedState(ofDeviceAt: deviceIndex)
            let end = [state.lateBefore, state.lastHeard].compactMap { $0 }.max() ?? .earliest
            recordEvents(ofDeviceAt: deviceIndex, upTo: end)
            let count = try store.removeFixes(of: stored.key, since: moment, eventsUpTo: end, limit: limit, in: transaction)
            publish(RemovedData(device: stored.device.id, positionsSince: moment, includesEvents: false))
            if state.newest == nil {
                try store.updateReplay(of: stored.key, in: transaction)
            } else {
                let waiting = try store.earliestWaitingFix(of: stored.key)
                try store.requestReplay(of: stored.key, from: min(moment, waiting ?? moment), in: transaction)
            }
            // The replay schedules the deadlines of the state that it leads to.
            unscheduleDeadline(of: stored.key)
            return count
        }
        ongoing.removal.positions += count
        ongoing.isEvaluating = count < limit
    }
}
