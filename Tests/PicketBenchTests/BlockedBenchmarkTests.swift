import Model
import TestSupport
import Testing

@Suite("Benchmark of what once blocked a service")
struct BlockedBenchmarkTests {
    @Test("The benchmark measures the waits in every situation")
    func run() throws {
        let directory = try TemporaryDirectory()
        var picket = Program(data: directory.path + "/data")
        picket.environment = ["TMPDIR": directory.path]
        let result = try picket.run("bench", "blocked", "--short", "--fixes", "2000", "--events", "2000", "--json")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try result.lines.map { try JSONParser.parse($0) }
        let parts = [
            "unordered", "events", "star", "phones", "leave", "read nothing", "geofences", "one name", "late position, 10 edits",
            "leaves",
        ]
        for part in parts {
            #expect(rows.contains { $0["situation"]?.string?.contains(part) == true }, "\(part)")
        }
        for row in rows {
            #expect(row["benchmark"]?.string == "blocked")
            #expect(try #require(row["requests"]?.double) > 0 && #require(row["max"]?.double) > 0, "\(row)")
        }
    }
}
