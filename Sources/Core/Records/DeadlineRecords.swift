import Model
import SQLite
import Store

extension PicketStore {
    /// Calls `body` with each device that has a deadline, and the deadline by the clock of the service; see `DeviceState.deadline`.
    func forEachDeadline(_ body: (DeviceKey, Instant) -> Void) throws(Problem) {
        try writePendingStates()
        return try attempt { () throws(SQLiteError) in
            let row = try statement(
                """
                SELECT \(DeadlineRow.columns) FROM device_state JOIN device ON device.key = device_state.device
                """)
            defer { row.reset() }
            while let next = try row.next(DeadlineRow.self) {
                let silence = next.isSilent ? nil : next.heardAt + next.silentAfter
                guard let deadline = next.due.map({ due in silence.map { min($0, due) } ?? due }) ?? silence else { continue }
                body(next.device, deadline + next.lag)
            }
        }
    }

    private struct DeadlineRow: Row {
        static let columns = "device, deadline, is_silent, \(PicketStore.heardAtExpression), silent_after, lag"

        var device: DeviceKey
        var due: Instant?
        var isSilent: Bool
        var heardAt: Instant
        var silentAfter: Double
        var lag: Double

        init(_ row: inout ColumnReader) {
            device = row.next()
            due = row.next()
            isSilent = row.next()
            heardAt = row.next()
            silentAfter = row.next()
            lag = row.next()
        }
    }
}
