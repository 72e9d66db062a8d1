import Model
import SQLite

/// The fixes of a device that are not in order by device and time yet, found beside whoever writes. To find them takes a look at all fixes that
/// are not in order, a million of which take some 0.1 s: whoever removes the device then need not look at those.
public struct UnorderedFixes: Sendable {
    let device: DeviceKey
    /// Their numbers and times.
    let fixes: [(number: Int64, time: Int64)]
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
                device: device, fixes: try store.unorderedFixes(of: device, knowing: nil), upTo: newest)
        }
    }
}

extension RegionStore {
    /// A device's fixes that are not in order yet.
    ///
    /// - Parameter found: What is known of them.
    /// - Complexity: O(fixes that are not in order, without those that were looked at).
    func unorderedFixes(of device: DeviceKey, knowing found: UnorderedFixes?) throws(Problem) -> [(number: Int64, time: Int64)] {
        try attempt { () throws(SQLiteError) in
            let found = found?.device == device ? found : nil
            let progress = try fixOrderProgress()
            let row = try connection.statement(
                "SELECT f.number, f.time FROM fix f WHERE \(Self.isUnordered("f")) AND f.device = ? AND f.number > ?")
            defer { row.reset() }
            row.bind(1, device.value)
            row.bind(2, found?.upTo ?? 0)
            // They may have been put in order since.
            var fixes = (found?.fixes ?? []).filter { !progress.isOrdered($0.number, device: device.value, time: $0.time) }
            while try row.step() { fixes.append((row.int64(0), row.int64(1))) }
            return fixes
        }
    }
}
