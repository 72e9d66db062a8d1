import Model
import SQLite
import Store

/// Late positions of a device that no replay has evaluated, so that events and visits since then may be missing or wrong.
package struct UnevaluatedPositions: Hashable, Sendable {
    /// Why they are not evaluated.
    package enum Cause: String, CaseIterable, Sendable {
        /// A replay is due, and begins automatically.
        case pending
        /// Positions that the replay needs were deleted or never kept.
        case positionsMissing
    }

    package var deviceId: String
    /// The time of the earliest of these positions.
    package var since: Instant
    package var cause: Cause

    package init(deviceId: String, since: Instant, cause: Cause) {
        self.deviceId = deviceId
        self.since = since
        self.cause = cause
    }
}

extension PicketStore {
    /// The maximum number of devices in a list of unevaluated positions.
    private static let mostUnevaluated = 100

    /// The positions of at most `mostUnevaluated` devices that are not evaluated yet, by the id of the device.
    ///
    /// - Parameters:
    ///   - id: Only those of this device; nil for all.
    ///   - until: Only those before this moment; nil for all.
    package func unevaluatedPositions(of id: String?, until: Instant?) throws(Problem) -> [UnevaluatedPositions] {
        try rows(
            """
            SELECT \(UnevaluatedRow.columns) FROM device WHERE replay_from IS NOT NULL AND NOT removed
            AND (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR replay_from < ?2) ORDER BY id LIMIT ?3
            """, id, until?.milliseconds, Self.mostUnevaluated, as: UnevaluatedRow.self
        ).map(\.positions)
    }

    /// The positions of a device that are not evaluated yet; nil if all are.
    package func unevaluatedPositions(of device: DeviceKey) throws(Problem) -> UnevaluatedPositions? {
        try firstRow(
            "SELECT \(UnevaluatedRow.columns) FROM device WHERE key = ? AND replay_from IS NOT NULL AND NOT removed",
            device.value,
            as: UnevaluatedRow.self)?.positions
    }

    private struct UnevaluatedRow: Row {
        /// With gaps, a replay begins at a checkpoint.
        static let columns = """
            id, replay_from, (gaps & \(ReplayGaps.positionsRemoved.rawValue)) = 0
            OR EXISTS (SELECT 1 FROM checkpoint WHERE checkpoint.device = device.key AND checkpoint.time < device.replay_from)
            """

        var positions: UnevaluatedPositions

        init(_ row: inout ColumnReader) {
            let (id, since, isPossible): (String, Instant, Bool) = (row.next(), row.next(), row.next())
            positions = UnevaluatedPositions(deviceId: id, since: since, cause: isPossible ? .pending : .positionsMissing)
        }
    }
}
