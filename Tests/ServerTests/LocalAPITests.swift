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
        // Otherwise the last uses of tokens are stored when the service stops.
        bench.server.api.storeTokenUses(atEnd: true)
        try await bench.server.api.store.writer.perform { _ in }
        var expected: [TestAnswer] = []
        for target in targets { expected.append(try await client.answer(TestRequest("GET", target, headers: household.admin))) }
        bench.stop()

        let settings = try Settings(
            flags: [:], environment: ["TZ": "UTC"], dataDirectory: bench.data.path, systemFile: bench.directory.path + "/none")
        let api = try LocalAPI(bench.data, settings, command: "test", version: "test", clock: bench.clock)
        for (target, service) in zip(targets, expected) {
            let answer = try await api.answer(TestRequest("GET", target))
            #expect(answer.status == service.status, "\(target)")
            #expect(Self.plain(answer.text) == Self.plain(service.text), "\(target)")
            #expect(answer["Content-Type"] ?? "" == service["Content-Type"] ?? "", "\(target)")
        }
        #expect(targets.count > 200)
    }

    @Test("Changes are saved, seen by later queries, and refused while another process writes")
    func changes() async throws {
        let bench = try Bench()
        let first = try bench.api(locking: true)
        let second = try bench.api()
        #expect(try await first.ask("PUT", "/v1/devices/anna", #"{"name":"Anna"}"#).status == 201)
        #expect(try await first.ask("GET", "/v1/devices/anna").json["name"] == "Anna")
        #expect(try await second.ask("GET", "/v1/devices/anna").json["name"] == "Anna")
        let refused = try await second.ask("PUT", "/v1/devices/ben", #"{"name":"Ben"}"#)
        #expect(refused.status == 503 && refused.json["code"] == "storeBusy", "\(refused)")
        #expect(try await first.ask("GET", "/v1/devices/ben").status == 404)
        #expect(throws: Problem.self) { try bench.api(locking: true) }
    }

    @Test("A query that changes something, such as the recorded health, releases the directory")
    func released() async throws {
        let bench = try Bench()
        let device = #"{"platform":"ios","registry":"simulated"}"#
        try await bench.api(locking: true).ask("PUT", "/v1/devices/phone", device)
        let home = #"{"id":"home","name":"Home","latitude":52.5,"longitude":13.4,"radius":100}"#
        try await bench.api(locking: true).ask("POST", "/v1/geofences", home)
        let api = try bench.api()
        #expect(try await api.ask("GET", "/v1/devices/phone/health-changes").json["changes"]?.array?.isEmpty == true)
        try await BlockingCall.run { try api.recordHealth(ofDevice: nil) }
        #expect(try await api.ask("GET", "/v1/devices/phone/health-changes").json["changes"]?.array?.count == 1)
        #expect(try await bench.api(locking: true).ask("DELETE", "/v1/devices/phone").status == 204)
    }

    @Test("What another process adds is seen, also in a store that did not exist")
    func following() async throws {
        let bench = try Bench()
        let api = try bench.api()
        func events() async throws -> Int? { try await api.ask("GET", "/v1/events").json["events"]?.array?.count }
        #expect(try await events() == 0)
        #expect(!FileManager.default.fileExists(atPath: bench.data.path), "reading makes nothing")
        let home = #"{"id":"home","name":"Home","latitude":52.5,"longitude":13.4,"radius":100}"#
        try await bench.api(locking: true).ask("POST", "/v1/geofences", home)
        for (number, latitude) in [52.5, 52.6, 52.5].enumerated() {
            // Each writer ends before the next one begins.
            let answer = try await bench.api(locking: true).ask(
                "POST", "/v1/positions?policy=exact",
                "{\"device\":\"anna\",\"timestamp\":\"2026-05-01T10:0\(number):00Z\",\"latitude\":\(latitude),\"longitude\":13.4}"
            )
            #expect(answer.status == 200 && answer.json["accepted"]?.double == 1, "\(answer)")
            #expect(try await events() == number + 1)
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
    /// Asks on another thread, because the tasks of routes need the threads of this one's pool.
    func answer(_ request: TestRequest) async throws -> TestAnswer {
        try await BlockingCall.run {
            var body: [UInt8] = []
            let answer = try self.answer(
                request.method, request.target, headers: [("Content-Type", "application/json")], body: request.body ?? []
            ) { (_, bytes) throws(Problem) -> Void in body += bytes }
            var received = TestAnswer(status: answer.status)
            received.headers = answer.headers.map { .init(name: $0.name, value: $0.value) }
            received.body = body
            return received
        }
    }

    @discardableResult
    fileprivate func ask(_ method: String, _ target: String, _ body: String? = nil) async throws -> (status: Int, json: JSONValue)
    {
        let answer = try await answer(TestRequest(method, target, body: body))
        return (answer.status, answer.text.isEmpty ? .null : try answer.json())
    }
}
