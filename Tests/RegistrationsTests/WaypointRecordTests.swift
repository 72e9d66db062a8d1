import Registry
import TestSupport
import Testing

@testable import Registrations
@testable import Store

@Suite("Waypoint numbers of the store")
struct WaypointRecordTests {
    @Test("A region keeps its waypoint number, and no number is given twice")
    func numbers() throws {
        let directory = try TemporaryDirectory()
        let store = try PicketStore(writing: directory.path + "/s.sqlite")
        let ids = ["home", "school", "#sentinel"].map { RegionID(geofence: $0) }
        let numbers = try ids.map { try store.waypointNumber(of: $0, in: Transaction()) }
        #expect(Set(numbers).count == 3 && numbers.allSatisfy { $0 > 0 })
        #expect(try ids.map { try store.waypointNumber(of: $0, in: Transaction()) } == numbers)
        #expect(try numbers.map { try store.region(ofWaypoint: $0) } == ids)
        #expect(try store.region(ofWaypoint: 4) == nil)
    }
}
