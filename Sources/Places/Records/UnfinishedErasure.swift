import Model
import SQLite
import Store

/// An erasure of a device: in steps, as long as there are records; after its commit, as long as remains of the data may be in the files: in the
/// write-ahead log, in free space, or in the file of the simulated phones.
package struct UnfinishedErasure: Hashable, Sendable {
    /// A digest of the device's id. The store must no longer contain the id itself.
    var digest: String
    /// The device while its records are removed in steps; nil when there are none.
    package var device: DeviceKey?
    var fixes: Int
    var events: Int
    /// Whether the store is still to be rewritten. Otherwise only its log is to be emptied.
    package var rewritesStore: Bool
    /// Whether the file of the simulated phones is still to be rewritten. Otherwise only its log is to be emptied.
    package var rewritesPhones: Bool

    init(
        digest: String, device: DeviceKey? = nil, fixes: Int, events: Int, rewritesStore: Bool, rewritesPhones: Bool
    ) {
        self.digest = digest
        self.device = device
        self.fixes = fixes
        self.events = events
        self.rewritesStore = rewritesStore
        self.rewritesPhones = rewritesPhones
    }

    /// Whether both are the same erasure, of which more may be done in the meantime.
    package func isSame(as other: UnfinishedErasure) -> Bool {
        digest == other.digest && device == other.device && fixes == other.fixes && events == other.events
    }
}

extension PicketStore {
    private static let erasedAtSetting = "erased_at"

    /// The erasures that are not finished, oldest first.
    func unfinishedErasures() throws(Problem) -> [UnfinishedErasure] {
        guard let text = try text(ofSetting: Self.unfinishedErasuresSetting) else { return [] }
        do throws(JSONParser.Failure) {
            return try (JSONParser.parse(text).array ?? []).map { json in
                let isWhole = json["isWhole"]?.bool ?? true
                return UnfinishedErasure(
                    digest: json["digest"]?.string ?? "", device: json["device"]?.double.map { DeviceKey(Int64($0)) },
                    fixes: Int(json["fixes"]?.double ?? 0), events: Int(json["events"]?.double ?? 0), rewritesStore: isWhole,
                    rewritesPhones: json["rewritesPhones"]?.bool ?? isWhole)
            }
        } catch {
            throw damaged("the unfinished erasures cannot be read")
        }
    }

    /// Records an erasure, which is not finished yet. This must be called in the transaction of the erasure.
    func add(_ erasure: UnfinishedErasure, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        let others = try unfinishedErasures().filter { $0.digest != erasure.digest }
        try save(others + [erasure], in: transaction)
        try attempt { () throws(SQLiteError) in try saveSetting(Self.erasedAtSetting, now.milliseconds, in: transaction) }
    }

    /// Removes the records of finished erasures.
    func remove(finished: [UnfinishedErasure], in transaction: borrowing Transaction) throws(Problem) {
        try save(try unfinishedErasures().filter { erasure in !finished.contains { $0.isSame(as: erasure) } }, in: transaction)
    }

    /// Records that the store was rewritten after all erasures so far.
    func recordStoreRewritten(in transaction: borrowing Transaction) throws(Problem) {
        var all = try unfinishedErasures()
        for index in all.indices where all[index].device == nil { all[index].rewritesStore = false }
        try save(all, in: transaction)
    }

    /// Records that the file of the simulated phones was rewritten after these erasures.
    func recordPhonesRewritten(
        after erasures: [UnfinishedErasure], in transaction: borrowing Transaction
    ) throws(Problem) {
        var all = try unfinishedErasures()
        for index in all.indices where erasures.contains(where: { $0.isSame(as: all[index]) }) {
            all[index].rewritesPhones = false
        }
        try save(all, in: transaction)
    }

    /// When a device was last erased; nil if that is unknown.
    package func lastErasure() throws(Problem) -> Instant? {
        let value = try attempt { () throws(SQLiteError) in try setting(Self.erasedAtSetting) }
        return value > 0 ? Instant(milliseconds: value) : nil
    }

    func save(_ erasures: [UnfinishedErasure], in transaction: borrowing Transaction) throws(Problem) {
        let list = erasures.map { erasure in
            JSONValue.compact([
                ("digest", .string(erasure.digest)), ("device", erasure.device.map { JSONValue(Int($0.value)) }),
                ("fixes", JSONValue(erasure.fixes)), ("events", JSONValue(erasure.events)),
                ("isWhole", .bool(erasure.rewritesStore)), ("rewritesPhones", .bool(erasure.rewritesPhones)),
            ])
        }
        if erasures.isEmpty {
            try execute("DELETE FROM setting WHERE name = ?", Self.unfinishedErasuresSetting, in: transaction)
        } else {
            try attempt { () throws(SQLiteError) in
                try saveSetting(Self.unfinishedErasuresSetting, text: JSONValue.array(list).description, in: transaction)
            }
        }
    }
}
