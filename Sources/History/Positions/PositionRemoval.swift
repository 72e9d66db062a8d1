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
    /// The positions of a device from a moment on, which a `PositionRemovalJob` would remove.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown.
    func previewPositionRemoval(ofDevice id: String, since moment: Instant) throws(Problem) -> PositionRemoval {
        let key = try storedDevice(id: id).key
        return PositionRemoval(deviceId: id, since: moment, positions: try store.fixCount(of: key, since: moment))
    }
}

/// The removal of a device's positions from a moment on. When all are removed, the remaining positions are evaluated again, together with the
/// late positions that wait, and the events that no longer follow are retracted. If older positions were deleted or never kept, the device
/// cannot be evaluated again, so it starts again.
///
/// After a crash between two steps, the automatic replay evaluates the remaining positions, and the removal can be repeated.
package struct PositionRemovalJob: LongJob {
    /// The result so far.
    package private(set) var removal: PositionRemoval
    package private(set) var needs: [LongJobNeed] = [.derivedData, .order]
    /// Whether the device is evaluated again from now on, because all positions are removed.
    private var isEvaluating = false
    private let limit: Int

    /// - Parameter limit: The maximum number of positions that a step removes or evaluates.
    package init(ofDevice id: String, since moment: Instant, limit: Int = RequestedReplayJob.inputsInStep) {
        removal = PositionRemoval(deviceId: id, since: moment, positions: 0, retracted: 0, new: 0)
        self.limit = limit
    }

    /// - Throws: `Problem.notFound` if the device is unknown.
    package mutating func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        needs = []
        guard isEvaluating else {
            let stored = try service.storedDevice(id: removal.deviceId)
            let deviceIndex = try service.loadDevice(of: stored)
            let count = try service.removeFixes(of: stored, deviceIndex, since: removal.since, limit: limit)
            removal.positions += count
            isEvaluating = count < limit
            return !isEvaluating || service.loadedState(ofDeviceAt: deviceIndex).lateBefore != nil
        }
        guard let done = try service.replayStep(device: removal.deviceId, since: removal.since, limit: limit) else { return true }
        var counts = done.counts
        let stored = try service.storedDevice(id: removal.deviceId)
        let deviceIndex = try service.loadDevice(of: stored)
        // A device without a state has started again before.
        if service.loadedState(ofDeviceAt: deviceIndex).newest == nil || counts.skipped > 0 {
            counts = try service.restart(stored, deviceIndex, from: removal.since)
        }
        (removal.retracted, removal.new) = (counts.retracted, counts.new)
        try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try service.resolveClockProblem(ofDeviceAt: deviceIndex, in: transaction)
        }
        return false
    }
}

extension ServiceWriter {
    /// Removes positions of a device from a moment on, at most `limit`.
    ///
    /// - Returns: The number of removed positions.
    fileprivate func removeFixes(
        of stored: PicketStore.StoredDevice, _ deviceIndex: Int, since moment: Instant, limit: Int
    ) throws(Problem) -> Int {
        interruptReplay(ofDevice: stored.key)
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
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
    }
}
