import Core
import Model
import Presence

/// What commands can change in the past of devices. The implementations change the store directly or send requests to a running service; see
/// `CommandBackend`.
package protocol HistoryCommandBackend: AnyObject {
    /// Removes the positions of a device from a moment on; see `ServiceWriter.removePositions(ofDevice:since:)`.
    ///
    /// - Parameter isDry: Whether to change nothing, and only return how many positions there are.
    func removePositions(ofDevice id: String, since moment: Instant, isDry: Bool) throws(Problem) -> PositionRemoval

    /// Evaluates the stored fixes of devices again in the order of their times, and saves the events that differ from those on record.
    ///
    /// - Parameters:
    ///   - id: The id of the device; nil for all devices.
    ///   - since: The replay starts at the last checkpoint before this moment; nil for all stored fixes.
    ///   - progress: Receives the completed and the total amount of work.
    ///   - report: Called with the resulting events after they are on disk.
    /// - Throws: `Problem.notFound` if the device is unknown.
    func replay(
        device id: String?, since: Instant?, progress: @escaping (_ done: Int, _ of: Int) -> Void, report: ([Event]) -> Void
    ) throws(Problem) -> ReplayCounts

    /// Evaluates the stored fixes of devices with the current geofences, and saves the events that differ from those on record.
    ///
    /// - Parameters:
    ///   - progress: Receives the completed and the total amount of work.
    ///   - report: Called for each device with what was changed, after it is on disk.
    /// - Returns: The totals, and the number of devices with changes that `report` did not get because a service limits its answer.
    /// - Throws: The problems of `Queries.planCorrection`.
    func correctPast(
        _ correction: PastCorrection, progress: @escaping (_ done: Int, _ of: Int) -> Void, report: (PastFinding) -> Void
    ) throws(Problem) -> (counts: ReplayCounts, unlistedDevices: Int)
}

extension ServiceWriter: HistoryCommandBackend {
    package func removePositions(ofDevice id: String, since moment: Instant, isDry: Bool) throws(Problem) -> PositionRemoval {
        try isDry ? previewPositionRemoval(ofDevice: id, since: moment) : removePositions(ofDevice: id, since: moment)
    }
}
