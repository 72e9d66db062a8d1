import Geodesy
import Model
import Registry
import Testing

@testable import OwnTracks

@Suite("OwnTracks waypoints")
struct WaypointTests {
    private static func circle(_ latitude: Double, _ longitude: Double, _ radius: Double) -> Circle {
        Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
    }

    @Test("A waypoint is written with six decimals and whole meters, as the apps list it")
    func written() {
        let region = Region(id: RegionID(geofence: "home"), circle: Self.circle(52.51630049, -13.37770051, 150.6))
        #expect(
            Waypoint.json(of: region, name: "Home", time: 1_000_000_007).description
                == #"{"_type":"waypoint","desc":"Home","lat":52.5163,"lon":-13.377701,"rad":151,"tst":1000000007,"rid":"picket/home"}"#
        )
    }

    @Test(
        "The name of a waypoint contains nothing with a special meaning in the apps",
        arguments: [
            ("Home", "Home"), ("Home: garage", "Home  garage"), ("a|b", "a b"), ("+follow", "follow"), ("--x", "x"),
            (" + ", "Geofence"), ("", "Geofence"), ("Büro +1", "Büro +1"),
        ])
    func names(_ name: String, _ written: String) { #expect(Waypoint.description(name) == written) }

    @Test("A waypoint is decoded from any notation of numbers, and has no circle without a valid position and radius")
    func read() throws {
        let text = #"{"desc":"x","lat":"52.5","lon":13.4,"rad":100.0,"tst":1000000001.0,"rid":"6da9cf"}"#
        let waypoint = try #require(Waypoint(try JSONParser.parse(text)))
        #expect(waypoint.circle == Self.circle(52.5, 13.4, 100))
        #expect(waypoint.time == 1_000_000_001 && waypoint.rid == "6da9cf")
        for text in [
            #"{"lat":52.5,"lon":13.4,"rad":0}"#, #"{"lat":52.5,"lon":13.4}"#, #"{"lat":-1000000,"lon":-1000000,"rad":5}"#,
            #"{"desc":"beacon","uuid":"u","rad":100}"#, "{}",
        ] {
            #expect(try #require(Waypoint(try JSONParser.parse(text))).circle == nil, "\(text)")
        }
        #expect(Waypoint("text") == nil)
    }

    private static let listed = [
        #"{"desc":"Home","lat":52.5,"lon":13.4,"rad":150,"tst":1000000001,"rid":"picket/home"}"#,
        #"{"desc":"Mine","lat":52.6,"lon":13.4,"rad":100,"tst":1777000000,"rid":"6da9cf"}"#,
        #"{"desc":"Mine","lat":52.7,"lon":13.4,"rad":100,"tst":1777000001,"rid":"6da9d0"}"#,
        #"{"desc":"+follow","lat":52.7,"lon":13.4,"rad":100,"tst":1777000002,"rid":"f"}"#,
        #"{"desc":"A place","lat":52.7,"lon":13.4,"rad":0,"tst":1777000003,"rid":"p"}"#,
        #"{"desc":"picket/fake","lat":52.7,"lon":13.4,"rad":10,"tst":1777000004,"rid":"q"}"#,
        #"{"desc":"Beacon","uuid":"u","major":1,"minor":2,"tst":1777000005,"rid":"b"}"#,
        #"{"desc":"Old","lat":52.8,"lon":13.4,"rad":100,"tst":1000000009,"rid":"picket/old"}"#,
    ]

    @Test(
        "Picket's waypoints are recognized by rid on iOS, and by the number in tst on Android",
        arguments: [Device.Platform.ios, .android])
    func ours(_ platform: Device.Platform) throws {
        let list = WaypointList(try Self.listed.map { try JSONParser.parse($0) })
        let entries = try list.entries(platform) { $0 == 1 ? RegionID(geofence: "home") : nil }
        let old = platform == .ios ? "picket/old" : "picket/#9"
        #expect(
            entries.map(\.id.text) == ["picket/home", "Mine", "Mine (1)", "waypoint picket/fake", "Beacon", old],
            "\(entries.map(\.id.text))")
        #expect(entries.map(\.id.isOurs) == [true, false, false, false, false, true])
        #expect(entries[0].region.circle == Self.circle(52.5, 13.4, 150))
    }

    @Test("The times that number Picket's waypoints differ from those of the person's waypoints")
    func times() {
        for number in [0, 1, 99_999, 1_000_000] {
            #expect(WaypointNumber.number(ofTime: WaypointNumber.time(ofNumber: number)) == number)
        }
        for time in [nil, 0, 999_999_999, 1_200_000_000, 1_777_000_000] { #expect(WaypointNumber.number(ofTime: time) == nil) }
    }
}
