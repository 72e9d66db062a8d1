import Foundation
import Model
import TestSupport
import Testing

@testable import picket

@Suite("Edits of several geofences")
struct GeofenceBulkEditTests {
    @Test("Ids, a text or all select the geofences that are changed together", arguments: [false, true])
    func selection(isServed: Bool) throws {
        let directory = try TemporaryDirectory()
        let data = directory.path + "/data"
        let picket = Program(data: data)
        for id in ["site-1", "site-2", "yard"] {
            #expect(try picket.run("geofence", "add", "--id", id, "--circle", "52.5,13.4,100").status == 0)
        }
        let service = isServed ? try RunningService(data: data) : nil
        defer { withExtendedLifetime(service) {} }
        func dwells() throws -> [Double?] {
            try picket.run("geofence", "list", "--json").lines.map { try JSONParser.parse($0)["dwell"]?.double }
        }
        func edit(_ arguments: String...) throws -> String { try picket.run(["geofence", "edit"] + arguments).output }
        #expect(try edit("--matching", "site", "--dwell", "2h") == "Geofences changed: 2 of 2.\n")
        #expect(try dwells() == [7200, 7200, nil])
        #expect(try edit("site-1", "yard", "--dwell", "2h") == "Geofences changed: 1 of 2.\n")
        #expect(try dwells() == [7200, 7200, 7200])
        let lines = try picket.run("geofence", "edit", "--all", "--dwell", "1h", "--json").lines
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""dwell":3600"#) })
        // None is changed if one does not exist.
        #expect(try picket.run("geofence", "edit", "site-1", "none", "--dwell", "3h").status != 0)
        #expect(try dwells() == [3600, 3600, 3600])
    }

    @Test(
        "A selection that is missing or doubled, and what only one geofence can have, is wrong usage",
        arguments: [
            ["--dwell", "2h"], ["a", "--all", "--dwell", "2h"], ["--all", "--name", "A"], ["a", "b", "--circle", "1,2,3"],
        ])
    func usage(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path + "/data")
        #expect(try picket.run("geofence", "add", "--id", "a", "--circle", "52.5,13.4,100").status == 0)
        let result = try picket.run(["geofence", "edit"] + arguments)
        #expect(result.status == 2 && result.errors.contains("geofence edit"), "\(result.errors)")
    }
}
