import Geodesy
import Testing

@testable import Model

@Suite("Names that people choose")
struct NameTests {
    @Test(
        "Names of devices, geofences, tokens and groups have no control character",
        arguments: ["a\nb", "a\rb", "\u{1B}[31mred", "a\0", "a\u{85}b", "a\tb"])
    func controlCharacters(_ name: String) throws {
        let circle = Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100)
        func expectRefusal(_ problem: Problem?, _ field: String) {
            let expected = Problem.validationFailed(field: field, value: name, reason: .controlCharacter, expected: .name)
            #expect(problem == expected, "\(field)")
        }
        expectRefusal(Device(id: "d", name: name).flaw, "name")
        expectRefusal(Device(id: "d", groups: ["family", name]).flaw, "groups")
        expectRefusal(Geofence(id: "g", name: name, shape: .circle(circle)).flaw, "name")
        expectRefusal(Geofence(id: "g", name: "G", shape: .circle(circle), groups: [name]).flaw, "groups")
        expectRefusal(DeviceScope(devices: [], groups: [name]).flaw, "groups")
    }

    @Test(
        "Other names are fine, in any language",
        arguments: ["Büro", "İş yeri", "👨‍👩‍👧", "a 'b' \"c\" <d>", String(repeating: "ü", count: 120)])
    func others(_ name: String) {
        #expect(Identifier.flaw(inNames: [name], field: "name") == nil)
        #expect(Device(id: "d", name: name, groups: [name]).flaw == nil)
    }
}
