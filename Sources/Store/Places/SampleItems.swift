import Model
import SQLite

// The geofences and devices that the sample data created.

extension PicketStore {
    /// A geofence or a device that the sample data created.
    package struct SampleItem: Hashable, Sendable {
        package enum Kind: String, Sendable {
            case geofence, device
        }

        package var kind: Kind
        package var id: String
        /// The JSON with which the item was created.
        package var content: String

        package init(_ kind: Kind, id: String, content: String) {
            self.kind = kind
            self.id = id
            self.content = content
        }
    }

    /// The items that the sample data created and that were not forgotten since.
    package func sampleItems() throws(Problem) -> [SampleItem] {
        try attempt { () throws(SQLiteError) in
            let row = try connection.uncachedStatement("SELECT kind, id, content FROM sample_item ORDER BY kind, id")
            var found: [SampleItem] = []
            while let (name, id, content) = try row.next(String.self, String.self, String.self) {
                guard let kind = SampleItem.Kind(rawValue: name) else { continue }
                found.append(SampleItem(kind, id: id, content: content))
            }
            return found
        }
    }

    /// Records an item that the sample data created.
    package func add(_ item: SampleItem) throws(Problem) {
        try execute("INSERT OR REPLACE INTO sample_item VALUES (?, ?, ?)", item.kind.rawValue, item.id, item.content)
    }

    /// Deletes the record of the items that the sample data created.
    package func forgetSampleItems() throws(Problem) {
        try attempt { () throws(SQLiteError) in try connection.execute("DELETE FROM sample_item") }
    }
}
