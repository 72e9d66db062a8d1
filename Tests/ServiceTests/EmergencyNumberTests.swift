import Geodesy
import Testing

@testable import Service

@Suite("Emergency numbers")
struct EmergencyNumberTests {
    @Test(
        "The emergency numbers are those of the country",
        arguments: [
            ("Berlin", 52.52, 13.40, "112"), ("Kansas", 38.5, -98.0, "911"), ("Saskatchewan", 52.0, -106.0, "911"),
            ("Mexico City", 19.43, -99.13, "911"), ("Auckland, inland", -38.7, 176.1, "111"), ("Ankara", 39.93, 32.86, "112"),

            ("Chengdu", 30.66, 104.06, "110, 119, 120"), ("Lima, inland", -9.9, -76.2, "105, 116, 117"),
            ("Kampala", 0.35, 32.58, "999"),
            ("the middle of the Atlantic", 0, -30, "112"), ("the South Pole", -90, 0, "112"), ("Suva, Fiji", -17.8, 178.0, "911"),
        ])
    func place(_ tested: (name: String, latitude: Double, longitude: Double, numbers: String)) {
        let place = Coordinate(latitude: tested.latitude, longitude: tested.longitude)
        #expect(EmergencyNumbers().numbers(at: place) == tested.numbers, "\(tested.name)")
    }

    @Test("Near a border, the numbers of both sides are given, those of the place itself first")
    func border() {
        // Two kilometers north and south of a straight part of the border between Mexico (911) and Guatemala (110, 120, 123).
        #expect(EmergencyNumbers().numbers(at: Coordinate(latitude: 17.84, longitude: -90.0)) == "911 or 110, 120, 123")
        #expect(EmergencyNumbers().numbers(at: Coordinate(latitude: 17.79, longitude: -90.0)) == "110, 120, 123 or 911")
    }

    @Test("A number that a person has set is used everywhere, also without a position")
    func override() {
        #expect(EmergencyNumbers(override: "+49 30 1234").numbers(at: nil) == "+49 30 1234")
        #expect(EmergencyNumbers().numbers(at: nil) == "112")
    }
}
