import Core
import Foundation
import Model
import Routing
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("The API without a service")
struct LocalAPITests {
    /// Routes whose answers describe the process, the moment, or never end.
    private static let ofProcess: Set = [
        "/v1/events/stream", "/v1/report", "/v1/doctor", "/v1/backup", "/v1/waiting-devices", "/v1/session",
        "/metrics",
    ]

    /// Members that only a running service has, or that differ between two answers of the same service.
    private static let ofService: Set = ["sinks", "mqtt", "connection", "walBytes", "seconds", "waiting", "tooOld"]

    /// A JSON text without the members that only a running service has. An export is without the simulated phone, which changes when it is
    /// asked for its regions.
    private static func plain(_ text: String) -> String {
        guard let json = try? JSONParser.parse(text) else {
            return text.split(separator: "\n").filter { !$0.hasPrefix(#"{"phone":"#) }.joined(separator: "\n")
        }
        return plain(json).description
    }

    private static func plain(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            .object(members.filter { !ofService.contains($0.name) }.map { .init($0.name, plain($0.value)) })
        case .array(let elements): .array(elements.map(plain))
        default: json
        }
    }

    @Test("The answer to each query is the same as over a socket of a service")
    func queries() async throws {
        let household = try await RestrictedTokenTests.Household(hasHidden: true)
        let bench = household.bench
        let client = SocketClient(port: try bench.takeConnections())
        let targets = Routes.all.filter {
            $0.method == "GET" && ($0.access == .reader || $0.access == .admin) && !Self.ofProcess.contains($0.path)
        }.flatMap(RestrictedTokenTests.targets)
        var expected: [TestAnswer] = []
        for target in targets { expected.append(try await client.answer(TestRequest("GET", target, headers: household.admin))) }
        bench.stop()

        let settings = try Settings(
            flags: [:], environment: ["TZ": "UTC"], dataDirectory: bench.data.path, systemFile: bench.directory.path + "/none")
        let api = try LocalAPI(bench.data, settings, command: "test", version: "test", clock: bench.clock)
        for (target, service) in zip(targets, expected) {
            var body: [UInt8] = []
            let answer = try api.answer("GET", target) { (_, bytes) throws(Problem) -> Void in body += bytes }
            #expect(answer.status == service.status, "\(target)")
            #expect(Self.plain(String(decoding: body, as: UTF8.self)) == Self.plain(service.text), "\(target)")
            func header(_ name: String) -> String? { answer.headers.first { $0.name == name }?.value }
            #expect(header("Content-Type") ?? "" == service["Content-Type"] ?? "", "\(target)")
        }
        #expect(targets.count > 200)
    }

    @Test("Changes are saved, seen by later queries, and refused while another process writes")
    func changes() throws {
        let bench = try Bench()
        let first = try bench.api(locking: true)
        let second = try bench.api()
        #expect(try first.ask("PUT", "/v1/devices/anna", #"{"name":"Anna"}"#).status == 201)
        #expect(try first.ask("GET", "/v1/devices/anna").json["name"] == "Anna")
        #expect(try second.ask("GET", "/v1/devices/anna").json["name"] == "Anna")
        let refused = try second.ask("PUT", "/v1/devices/ben", #"{"name":"Ben"}"#)
        #expect(refused.status == 503 && refused.json["code"] == "storeBusy", "\(refused)")
        #expect(try first.ask("GET", "/v1/devices/ben").status == 404)
        #expect(throws: Problem.self) { try bench.api(locking: true) }
    }

    @Test("What another process adds is seen, also in a store that did not exist")
    func following() throws {
        let bench = try Bench()
        let api = try bench.api()
        func events() throws -> Int? { try api.ask("GET", "/v1/events").json["events"]?.array?.count }
        #expect(try events() == 0)
        #expect(!FileManager.default.fileExists(atPath: bench.data.path), "reading makes nothing")
        let home = #"{"id":"home","name":"Home","latitude":52.5,"longitude":13.4,"radius":100}"#
        try bench.api(locking: true).ask("POST", "/v1/geofences", home)
        for (number, latitude) in [52.5, 52.6, 52.5].enumerated() {
            // Each writer ends before the next one begins.
            let answer = try bench.api(locking: true).ask(
                "POST", "/v1/positions?policy=exact",
                "{\"device\":\"anna\",\"timestamp\":\"2026-05-01T10:0\(number):00Z\",\"latitude\":\(latitude),\"longitude\":13.4}"
            )
            #expect(answer.status == 200 && answer.json["accepted"]?.double == 1, "\(answer)")
            #expect(try events() == number + 1)
        }
    }

    /// A data directory without a service.
    private struct Bench {
        private let directory: TemporaryDirectory
        private let settings: Settings
        let data: DataDirectory

        init() throws {
            directory = try TemporaryDirectory()
            data = DataDirectory(path: directory.path + "/data")
            settings = try Settings(
                flags: [:], environment: ["TZ": "UTC"], dataDirectory: data.path, systemFile: directory.path + "/none")
        }

        func api(locking isLocking: Bool = false) throws -> LocalAPI {
            try LocalAPI(data, settings, command: "test", version: "test", locking: isLocking)
        }
    }
}

extension LocalAPI {
    @discardableResult
    fileprivate func ask(_ method: String, _ target: String, _ body: String = "") throws -> (status: Int, json: JSONValue) {
        var text = ""
        let answer = try answer(
            method, target, headers: [("Content-Type", "application/json")], body: Array(body.utf8)
        ) { (_, bytes) throws(Problem) -> Void in text += String(decoding: bytes, as: UTF8.self) }
        return (answer.status, text.isEmpty ? .null : try JSONParser.parse(text))
    }
}
