import Model
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Answers to requests with effects when there is little memory")
struct EffectAnswerTests {
    private let bench: ServerBench
    private let daemon: HTTPDaemon
    private let port: Int

    init() throws {
        bench = try ServerBench()
        (daemon, port) = try bench.serve(with: MemoryBudget(limit: 60_000, limitPerToken: 60_000, limitPerAddress: 60_000))
    }

    private func ask(_ target: String, _ body: String) throws -> TestAnswer {
        let connection = try RawConnection(port: port)
        connection.send(TestRequest("POST", target, body: body).bytes(port: port))
        return try #require(try connection.answer())
    }

    @Test("Positions whose events take too much are stored, and the answer says how many events there were")
    func positions() async throws {
        defer { daemon.stop() }
        try await bench.add("home", 52.5, 13.4)
        let lines = (0..<201).map { number in
            #"{"device":"a","timestamp":\#(1_763_630_000 + number),"latitude":\#(number % 2 == 0 ? 53 : 52.5),"longitude":13.4}"#
        }
        let answer = try ask("/v1/positions?policy=exact", "[\(lines.joined(separator: ","))]")
        let json = try answer.json()
        #expect(answer.status == 200 && json["accepted"]?.double == 201 && json["eventCount"]?.double == 200, "\(answer.text)")
        #expect(json["events"] == nil)
        // With enough memory, the list is there.
        let whole = try await bench.ask(
            "POST", "/v1/positions?policy=exact", body: "[\(lines.joined(separator: ",").replacing("\"a\"", with: "\"b\""))]")
        #expect(try whole.json()["events"]?.array?.count == 200 && whole.json()["eventCount"]?.double == 200)
    }

    @Test("An import whose events take too much is done, and the answer says how many events there were")
    func importing() async throws {
        defer { daemon.stop() }
        try await bench.move("a", to: 52.5, 13.4, at: "2026-11-20T10:00:00Z")
        let features = (0..<200).map { number in
            #"{"type":"Feature","id":"g\#(number)","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"radius":100}}"#
        }
        let answer = try ask(
            "/v1/geofences:import", #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#)
        let json = try answer.json()
        #expect(answer.status == 200 && json["imported"]?.double == 200 && json["eventCount"]?.double == 200, "\(answer.text)")
        #expect(json["events"]?.array == [])
    }
}
