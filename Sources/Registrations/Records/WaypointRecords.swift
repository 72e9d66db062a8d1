import Model
import Registry
import SQLite
import Store

// Records for the waypoints of OwnTracks apps: the numbers by which Android identifies regions, and waypoint lists that are being set.

extension PicketStore {
    /// The permanent number of a region. A region without one gets the next number.
    func waypointNumber(of region: RegionID) throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let insertion = try connection.statement("INSERT INTO waypoint_number (region) VALUES (?) ON CONFLICT DO NOTHING")
            insertion.bind(1, region.text)
            try insertion.run()
            let row = try connection.statement("SELECT number FROM waypoint_number WHERE region = ?")
            row.bind(1, region.text)
            return try row.value(Int.self) ?? 0
        }
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
    func save(unfinishedWaypoints list: [JSONValue]?, of device: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                list == nil
                    ? "DELETE FROM waypoint_list WHERE device = ?1" : "INSERT OR REPLACE INTO waypoint_list VALUES (?1, ?2)")
            row.bind(1, device.value)
            if let list { row.bind(2, JSONValue.array(list).description) }
            try row.run()
        }
    }
}
