import Model
import SQLite

/// The fixes of a device that are not in order by device and time yet, found beside whoever writes. To find them takes a look at all fixes that
/// are not in order, a million of which take some 0.1 s: whoever removes the device then need not look at those.
public struct UnorderedFixes: Sendable {
    let device: DeviceKey
    /// Ascending.
    let numbers: [Int64]
    /// All numbers up to this one were looked at.
    let upTo: Int64

    /// Looks through the store of a file.
    ///
    /// - Returns: Nil when there never was such a device.
    /// - Complexity: O(fixes that are not in order).
    public static func find(ofDevice id: String, in path: String) throws(Problem) -> UnorderedFixes? {
        let store = try RegionStore(reading: path)
        return try store.snapshot { () throws(Problem) in
            guard let device = try store.knownDevice(id: id)?.stored.key else { return nil }
            let newest = try store.newestFixNumber()
            return UnorderedFixes(
                device: device, numbers: try store.unorderedFixes(of: device, knowing: nil), upTo: newest)
        }
    }
}

extension RegionStore {
    /// The numbers of a device's fixes that are not in order yet.
    ///
    /// - Parameter found: What is known of them.
    /// - Complexity: O(fixes that are not in order, without those that were looked at).
    func unorderedFixes(of device: DeviceKey, knowing found: UnorderedFixes?) throws(Problem) -> [Int64] {
        try attempt { () throws(SQLiteError) in
            let found = found?.device == device ? found : nil
            let ordered = try setting("fixes_ordered")
            let row = try connection.statement("SELECT number FROM fix WHERE number > ? AND device = ?")
            defer { row.reset() }
            row.bind(1, max(ordered, found?.upTo ?? 0))
            row.bind(2, device.value)
            // They may have been put in order since.
            var numbers = (found?.numbers ?? []).filter { $0 > ordered }
            while try row.step() { numbers.append(row.int64(0)) }
            return numbers
        }
    }
}
