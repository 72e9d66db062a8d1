import Core
import Foundation
import History
import Model
import TestSupport
import Testing

@testable import Operations
@testable import Presence
@testable import Server
@testable import Service

@Suite("Check, backup and export over HTTP")
struct StoreRouteTests {
    private let bench: ServerBench

    /// Anna has been home and away.
    init() async throws {
        bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        for (time, latitude) in [("08", 52.6), ("10", 52.5), ("11", 52.6)] {
            try await bench.move("anna", to: latitude, 13.4, at: "2026-11-20T\(time):00:00Z")
        }
    }

    @Test("A check over HTTP finds what a check of the directory finds")
    func check() async throws {
        let answer = try await bench.json("/v1/check")
        #expect(answer["isSound"]?.bool == true && answer["fixes"]?.double == 3 && answer["events"]?.double == 2, "\(answer)")
        let check = try StoreCheck.shape.decode(answer)
        #expect(check.json == answer)
        #expect(try ServiceReader(bench.data, clock: bench.clock).checkStore().json == answer)
    }

    @Test("Flaws and what cannot be proved keep their meaning in JSON")
    func flaws() throws {
        var check = StoreCheck()
        check.flaws.add(.gap, "event 7 is missing")
        check.flaws.add(.replay, "anna: other events")
        check.replay = .init(
            devices: 3, unprovenDevices: 2, unproven: [("positionsRemoved", 2)], fixes: 9, lateFixes: 1, revisions: 4,
            decisions: 5)
        let read = try StoreCheck.shape.decode(try JSONParser.parse(check.json.description))
        #expect(!read.isSound && read.flaws.first == check.flaws.first && read.json == check.json)
        #expect(read.replay.unproven.map(\.devices) == [2])
    }

    @Test("A backup is a whole store as of one moment, and nothing is left beside the store")
    func backup() async throws {
        let answer = try await bench.ask("GET", "/v1/backup")
        #expect(answer.status == 200 && answer["Content-Type"] == "application/vnd.sqlite3")
        let contents = try JSONParser.parse(answer["Picket-Backup"] ?? "")
        #expect(contents["bytes"]?.double == Double(answer.body.count) && contents["fixes"]?.double == 3, "\(contents)")
        let file = bench.directory.path + "/copy.backup"
        try Data(answer.body).write(to: URL(filePath: file))
        let elsewhere = DataDirectory(path: bench.directory.path + "/elsewhere")
        _ = try Restoration.restore(file, into: elsewhere, clock: bench.clock)
        #expect(try ServiceReader(elsewhere, clock: bench.clock).totals().fixes == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.data.path)
        #expect(!names.contains { $0.contains("partial") || $0.contains("download") }, "\(names)")
    }

    @Test("An export has the lines of an export of the directory")
    func export() async throws {
        let answer = try await bench.ask("GET", "/v1/devices/anna/export")
        #expect(answer.status == 200 && answer["Content-Type"] == "application/x-ndjson")
        var lines: [String] = []
        try ServiceReader(bench.data, clock: bench.clock).exportDevice(id: "anna") { line in lines.append(line.description) }
        #expect(answer.text.split(separator: "\n").map(String.init) == lines && lines.count > 6)
        #expect(try await bench.ask("GET", "/v1/devices/ana/export").status == 404)
    }

    @Test("A file of several pages is sent completely, and nothing is left beside the store")
    func pages() async throws {
        let start = try #require(Instant("2026-11-18T00:00:00Z"))
        let rows = (0..<15_000).map { number in
            "long,\(start + Double(number)),52.\(5000 + number % 7),13.4\n"
        }
        let body = "device,timestamp,latitude,longitude\n" + rows.joined()
        #expect(
            try await bench.ask("POST", "/v1/positions", body: body, headers: ["Content-Type": "text/csv"]).status == 200)
        let answer = try await bench.ask("GET", "/v1/devices/long/export")
        #expect(answer.body.count > 1 << 20)
        let lines = answer.text.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix(#"{"fix""#) } == 15_000)
        #expect(try JSONParser.parse(String(try #require(lines.last)))["summary"]?["fix"]?.double == 15_000)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.data.path)
        #expect(!names.contains { $0.contains("partial") || $0.contains("download") }, "\(names)")
    }

    @Test("Only an admin gets them", arguments: ["/v1/check", "/v1/backup", "/v1/devices/anna/export"])
    func roles(target: String) async throws {
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()
        let admin = ["Authorization": "Bearer \(made["secret"]?.string ?? "")"]
        let board = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"b","role":"reader"}"#, headers: admin).json()
        let reader = ["Authorization": "Bearer \(board["secret"]?.string ?? "")"]
        #expect(try await bench.ask("GET", target).status == 401)
        #expect(try await bench.ask("GET", target, headers: reader).status == 403)
        #expect(try await bench.ask("GET", target, headers: admin).status == 200)
    }

    @Test("A backup that runs while the service stops is canceled")
    func stop() async throws {
        let readers = Readers(bench.data, count: 1, areLong: true, clock: bench.clock)
        let settings = bench.server.api.store.settings
        let endless: @Sendable (Queries) throws(Problem) -> Void = { service throws(Problem) in
            while true { _ = try service.backup(settings) }
        }
        let asked = Task { try await readers.ask(endless) }
        try await BlockingCall.run { readers.stop() }
        await #expect(throws: Problem.cancelled) { try await asked.value }
    }
}
