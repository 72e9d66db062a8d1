import Model
import SQLite

/// A row of the table of devices.
package struct DeviceRow: Row {
    private static let names = Device.fields.map(\.column) + DeviceDefaults.fields.map(\.column) + ["inherited"]
    package static let columns = "key, " + names.joined(separator: ", ")
    /// Adds a device, or changes the one with its id.
    static let insertion = """
        INSERT INTO device (\(names.joined(separator: ", ")), ids_after)
        VALUES (\(names.map { _ in "?" }.joined(separator: ",")), \
        ifnull((SELECT value FROM setting WHERE name = '\(PicketStore.erasedUpTo)'), 0))
        ON CONFLICT (id) DO UPDATE SET \(names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")), removed = 0
        RETURNING key
        """

    var key: DeviceKey
    /// Of `Device.fields`, then of `DeviceDefaults.fields`.
    var values: [StoredValue]
    /// A JSON object.
    var inherited: String?

    package init(_ row: inout ColumnReader) {
        key = row.next()
        values = (1..<Self.names.count).map { _ in row.next() }
        inherited = row.next()
    }
}
