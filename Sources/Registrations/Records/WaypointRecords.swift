import Model
import Registry
import SQLite
import Store

// Records for the waypoints of OwnTracks apps: the numbers by which Android identifies regions, and waypoint lists that are being set.

extension PicketStore {
    /// The permanent number of a region. A region without one gets the next number.
    func waypointNumber(of region: RegionID, in transaction: borrowing Transaction) throws(Problem) -> Int {
        try execute("INSERT INTO waypoint_number (region) VALUES (?) ON CONFLICT DO NOTHING", region.text, in: transaction)
        return try firstValue("SELECT number FROM waypoint_number WHERE region = ?", region.text, as: Int.self) ?? 0
    }

    /// The region with a number; nil if there is none.
    func region(ofWaypoint number: Int) throws(Problem) -> RegionID? {
        try firstValue("SELECT region FROM waypoint_number WHERE number = ?", number, as: String.self).flatMap { RegionID($0) }
    }

    /// The waypoints to set on a device's app after a removal that was begun has finished; nil if none was begun.
    func unfinishedWaypoints(of device: DeviceKey) throws(Problem) -> [JSONValue]? {
        let text = try firstValue("SELECT list FROM waypoint_list WHERE device = ?", device.value, as: String.self)
        return try text.flatMap { text throws(Problem) in try json(text).array }
    }

    /// Saves the waypoints to set on a device's app after a removal has finished; nil deletes them.
    func save(
        unfinishedWaypoints list: [JSONValue]?, of device: DeviceKey, in transaction: borrowing Transaction
    ) throws(Problem) {
        if let list {
            try execute(
                "INSERT OR REPLACE INTO waypoint_list VALUES (?, ?)", device.value, JSONValue.array(list).description,
                in: transaction)
        } else {
            try execute("DELETE FROM waypoint_list WHERE device = ?", device.value, in: transaction)
        }
    }

    /// The devices whose registry is an OwnTracks app and whose last report was received before `moment` or never, or whose waypoint list
    /// is being set (`unfinishedWaypoints(of:)`).
    func ownTracksDevices(reportedBefore moment: Instant) throws(Problem) -> [StoredDevice] {
        try rows(
            """
            SELECT \(DeviceRow.columns) FROM device WHERE registry = 'owntracks' AND NOT removed AND (
                key IN (SELECT device FROM waypoint_list)
                OR NOT EXISTS (SELECT 1 FROM registry_report WHERE device = device.key AND received_at >= ?))
            """, moment.milliseconds, as: DeviceRow.self
        ).map(device)
    }
}
