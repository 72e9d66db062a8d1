import Model
import SQLite

/// An erasure of a device after its commit, as long as remains of the data may be in the files: in the write-ahead log, in free space, or in
/// the file of the simulated phones.
package struct UnfinishedErasure: Hashable, Sendable {
    /// A digest of the device's id. The store must not contain the id itself any more.
    package var digest: String
    package var fixes: Int
    package var events: Int
    /// Whether the files are to be rewritten, and not only their logs to be emptied.
    package var isWhole: Bool

    package init(digest: String, fixes: Int, events: Int, isWhole: Bool) {
        self.digest = digest
        self.fixes = fixes
        self.events = events
        self.isWhole = isWhole
    }
}

extension RegionStore {
    private static let unfinishedErasuresSetting = "unfinished_erasures"
    private static let erasedAtSetting = "erased_at"

    /// The erasures that are not finished, oldest first.
    package func unfinishedErasures() throws(Problem) -> [UnfinishedErasure] {
        guard let text = try text(ofSetting: Self.unfinishedErasuresSetting) else { return [] }
        do throws(JSONParser.Failure) {
            return try (JSONParser.parse(text).array ?? []).map { json in
                UnfinishedErasure(
                    digest: json["digest"]?.string ?? "", fixes: Int(json["fixes"]?.double ?? 0),
                    events: Int(json["events"]?.double ?? 0), isWhole: json["isWhole"]?.bool ?? true)
            }
        } catch {
            throw damaged("the unfinished erasures cannot be read")
        }
    }

    /// Records an erasure, which is not finished yet. This must be called in the transaction of the erasure.
    package func add(_ erasure: UnfinishedErasure, at now: Instant) throws(Problem) {
        let others = try unfinishedErasures().filter { $0.digest != erasure.digest }
        try save(others + [erasure])
        try attempt { () throws(SQLiteError) in try saveSetting(Self.erasedAtSetting, now.milliseconds) }
    }

    /// Removes the records of finished erasures. This must be called in a transaction.
    package func remove(finished: [UnfinishedErasure]) throws(Problem) {
        try save(try unfinishedErasures().filter { !finished.contains($0) })
    }

    /// When a device was last erased; nil if that is unknown.
    package func lastErasure() throws(Problem) -> Instant? {
        let value = try attempt { () throws(SQLiteError) in try setting(Self.erasedAtSetting) }
        return value > 0 ? Instant(milliseconds: value) : nil
    }

    /// The bytes of the file without free pages.
    package func usedBytes() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let pages = try connection.value(of: "PRAGMA page_count", as: Int.self) ?? 0
            let free = try connection.value(of: "PRAGMA freelist_count", as: Int.self) ?? 0
            return (pages - free) * (try connection.value(of: "PRAGMA page_size", as: Int.self) ?? 0)
        }
    }

    private func save(_ erasures: [UnfinishedErasure]) throws(Problem) {
        let list = erasures.map { erasure in
            JSONValue.object([
                .init("digest", .string(erasure.digest)), .init("fixes", JSONValue(erasure.fixes)),
                .init("events", JSONValue(erasure.events)), .init("isWhole", .bool(erasure.isWhole)),
            ])
        }
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                erasures.isEmpty ? "DELETE FROM setting WHERE name = ?" : "INSERT OR REPLACE INTO setting VALUES (?, ?)")
            row.bind(1, Self.unfinishedErasuresSetting)
            if !erasures.isEmpty { row.bind(2, JSONValue.array(list).description) }
            try row.run()
        }
    }
}
