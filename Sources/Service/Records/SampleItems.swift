import Model
import SQLite
import Store

// The geofences and devices that the sample data created.

extension PicketStore {
    /// A geofence or a device that the sample data created.
    struct SampleItem: Hashable, Sendable {
        enum Kind: String, Sendable {
            case geofence, device
        }

        var kind: Kind
        var id: String
        /// The JSON with which the item was created.
        var content: String

        init(_ kind: Kind, id: String, content: String) {
            self.kind = kind
            self.id = id
            self.content = content
        }
    }

    /// The items that the sample data created and that were not forgotten since.
    func sampleItems() throws(Problem) -> [SampleItem] {
        try rows(
            "SELECT kind, id, content FROM sample_item ORDER BY kind, id", as: String.self, String.self, String.self
        ).compactMap { name, id, content in
            SampleItem.Kind(rawValue: name).map { SampleItem($0, id: id, content: content) }
        }
    }

    /// Records an item that the sample data created.
    func add(_ item: SampleItem, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "INSERT OR REPLACE INTO sample_item VALUES (?, ?, ?)", item.kind.rawValue, item.id, item.content, in: transaction)
    }

    /// Deletes the record of the items that the sample data created.
    func forgetSampleItems(in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM sample_item", in: transaction)
    }
}
