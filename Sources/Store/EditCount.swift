import Model
import SQLite

/// The number of edits that a store has had: transactions of what people and apps change, other than positions.
///
/// Not every edit is an input of the engine: tokens and sinks are none. The number shows whether acknowledged edits are missing after the
/// log was damaged.
extension RegionStore {
    private static let editCountSetting = "edits"
    private static let reportedLossSetting = "loss_reported"

    /// The number of edits so far.
    package func editCount() throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in try setting(Self.editCountSetting) }
    }

    /// Counts the open transaction as an edit.
    package func countEdit() throws(Problem) {
        let count = try editCount() + 1
        try attempt { () throws(SQLiteError) in try saveSetting(Self.editCountSetting, count) }
        uncommittedEdit = count
    }

    /// The acknowledgment of which the loss was last reported; nil if none was.
    package func reportedLoss() throws(Problem) -> String? { try text(ofSetting: Self.reportedLossSetting) }

    /// Records that what is missing of an acknowledgment was reported. Must be called in the transaction that reports it.
    package func saveReportedLoss(_ acknowledgment: String) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("INSERT OR REPLACE INTO setting VALUES (?, ?)")
            row.bind(1, Self.reportedLossSetting)
            row.bind(2, acknowledgment)
            try row.run()
        }
    }
}
