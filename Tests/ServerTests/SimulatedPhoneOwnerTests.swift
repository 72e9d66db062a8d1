import Foundation
import Model
import SQLite
import SimulatedOS
import TestSupport
import Testing

/// Checks that a simulated phone does not slow down or block other devices.
@Suite("Simulated phones of a running service", .timeLimit(.minutes(60)))
struct SimulatedPhoneOwnerTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench(flags: ["auto-repair-interval": "0"]) }

    private func makePhone() async throws {
        for number in 1...3 { try await bench.add("f\(number)", 52.5, 13.4) }
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
    }

    private func seen() throws -> String? {
        try RegistryFile.phone(of: "phone", path: bench.data.registryFilePath)?["lastFix"]?["time"]?.string
    }

    @Test("A locked file of phones delays no position, health reports it, and recovers")
    func held() async throws {
        try await makePhone()
        let other = try Connection(path: bench.data.registryFilePath, access: .write)
        try other.execute("BEGIN IMMEDIATE")
        // Waiting for the file would take seconds for each position.
        for second in 10...59 {
            #expect(try await bench.move("phone", to: 52.5, 13.4, at: "2026-11-20T11:00:\(second)Z").status == 200)
        }
        let unknown = try await bench.json("/v1/devices/phone/health")
        #expect(unknown["statusSummary"] == "Unknown" && unknown["isHealthy"] == .null)
        try other.execute("COMMIT")
        while try await bench.json("/v1/devices/phone/health")["isHealthy"]?.bool != true {}
        #expect(try seen() == "2026-11-20T11:00:59.000Z")
    }

    @Test("Questions change nothing in the file of phones, however late they come")
    func questions() async throws {
        try await makePhone()
        let other = try Connection(path: bench.data.registryFilePath, access: .read)
        let before = try other.dataVersion()
        bench.clock.set(bench.clock.now() + 3600)
        for target in [
            "/v1/devices/phone/health", "/v1/devices/phone/health?explain=true", "/v1/health?totals=true",
            "/v1/devices/phone/registry",
        ] {
            #expect(try await bench.ask("GET", target).status == 200)
        }
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration?dryRun=true", body: "")
        #expect(try other.dataVersion() == before)
        _ = try await bench.ask("POST", "/v1/devices/phone/registry:simulate", body: #"{"action":"reboot"}"#)
        #expect(try other.dataVersion() != before)
    }

    @Test("A phone has seen a position before the first question after its answer")
    func rightAfter() async throws {
        try await makePhone()
        for second in 10...39 {
            try await bench.move("phone", to: 52.5, 13.4, at: "2026-11-20T11:00:\(second)Z")
            #expect(try await bench.json("/v1/devices/phone/health")["isHealthy"]?.bool == true)
            #expect(try seen() == "2026-11-20T11:00:\(second).000Z")
        }
    }
}
