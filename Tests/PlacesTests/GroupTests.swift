import Geodesy
import Model
import Places
import Service
import ServiceTestSupport
import Testing

@Suite("Groups")
struct GroupTests {
    private let bench: Workbench
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    init() throws {
        bench = try Workbench()
        try bench.service.save(Device(id: "anna", groups: ["family", "north"]))
        try bench.service.save(Device(id: "ben", groups: ["family"]))
        try bench.service.save(Device(id: "van", groups: ["fleet"]))
        func fence(_ id: String, _ groups: [String]) -> Geofence {
            Geofence(id: id, name: "The \(id)", shape: .circle(Circle(center: home, radius: 100)), groups: groups)
        }
        try bench.add([fence("school", ["family", "family"]), fence("yard", ["fleet", "guests"]), fence("all", [])])
    }

    @Test("The groups are those of devices and those of geofences")
    func list() throws {
        #expect(
            try bench.service.groups().map(\.json.description) == [
                #"{"group":"family","devices":2,"geofences":1}"#, #"{"group":"fleet","devices":1,"geofences":1}"#,
                #"{"group":"guests","devices":0,"geofences":1}"#, #"{"group":"north","devices":1,"geofences":0}"#,
            ])
    }

    @Test("A group lists its devices and its geofences")
    func members() throws {
        #expect(try bench.service.devices().filter { $0.groups.contains("family") }.map(\.id) == ["anna", "ben"])
        func fences(_ group: String, _ text: String? = nil) throws -> [String] {
            var found: [String] = []
            try bench.service.forEachGeofence(matching: text) { if $0.groups.contains(group) { found.append($0.id) } }
            return found
        }
        #expect(try fences("fleet") == ["yard"] && fences("fleet", "school").isEmpty)
    }

    @Test("An unknown group is refused, with a similar name")
    func unknown() throws {
        #expect(
            problem { try bench.service.devices(inGroup: "famly") } == .notFound(kind: .group, id: "famly", similar: ["family"]))
    }
}
