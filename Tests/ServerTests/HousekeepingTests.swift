import Model
import Testing

@testable import Server

@Suite("What the service does by the clock")
struct HousekeepingTests {
    @Test("Positions whose time is over are deleted, and the log says how many")
    func deletion() async throws {
        let bench = try ServerBench(logLevel: .info)
        for minute in 10...12 { try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:\(minute):00Z") }
        let count = try await bench.json("/v1/devices/anna?keepPositions=86400")["deletion"]
        #expect(count?["positions"]?.double == 3 && count?["of"]?.double == 3)
        try await bench.ask("PUT", "/v1/devices/anna", #"{"keepPositions":86400}"#)
        // Housekeeping looks at positions in its first second. The service's own may be faster: all go at once all the same.
        Housekeeping(bench.server.api, bench.data, keepPositions: nil).tick()
        _ = try await bench.server.api.writer.perform { _ in }
        #expect(try await bench.json("/v1/devices/anna/track")["fixes"]?.array?.isEmpty == true)
        let lines = try bench.log.split(separator: "\n").filter { $0.contains("deleted:") }
        #expect(lines.count == 1 && lines[0].contains("positions=3") && lines[0].contains("devices=1"), "\(lines)")
    }
}
