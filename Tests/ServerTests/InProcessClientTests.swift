import TestSupport
import Testing

@testable import Server

@Suite("Requests without a connection")
struct InProcessClientTests {
    /// A request for a kind of answer.
    struct Sample: Sendable, CustomTestStringConvertible {
        var kind: String
        var request: TestRequest
        var status: Int

        init(_ kind: String, _ request: TestRequest, _ status: Int) {
            self.kind = kind
            self.request = request
            self.status = status
        }

        var testDescription: String { kind }
    }

    static let samples: [Sample] = [
        .init("JSON", TestRequest("GET", "/v1/geofences/home"), 200),
        .init("JSON of a writer", TestRequest("PUT", "/v1/devices/ben", body: #"{"name":"Ben"}"#), 200),
        .init("positions", TestRequest("POST", "/v1/positions", body: position), 200),
        .init("positions of an app", TestRequest("GET", "/osmand?id=ben&lat=52.5&lon=13.4&timestamp=1777629600"), 200),
        .init("the head of JSON", TestRequest("HEAD", "/v1/geofences/home"), 200),
        .init("nothing new", TestRequest("GET", "/v1/geofences/home", headers: ["If-None-Match": "*"]), 304),
        .init("a file in parts", TestRequest("GET", "/v1/events?format=csv"), 200),
        .init("the head of a file in parts", TestRequest("HEAD", "/v1/events?format=csv"), 200),
        .init("plain text", TestRequest("GET", "/healthz"), 200),
        .init("a refusal by the route", TestRequest("GET", "/v1/geofences/none"), 404),
        .init("a refusal in Turkish", TestRequest("GET", "/v1/geofences/none", headers: ["Accept-Language": "tr"]), 404),
        .init("a refusal of the method", TestRequest("PUT", "/v1/geofences"), 405),
        .init("a refusal of another site", TestRequest("GET", "/v1/events", headers: ["Origin": "https://other.example"]), 403),
        .init("a refusal of the body", TestRequest("POST", "/v1/geofences", body: "{"), 400),
    ]

    private static let position = #"{"device":"ben","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4}"#

    @Test("The answer is the same as over a connection", arguments: samples)
    func same(_ sample: Sample) async throws {
        let bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        try await bench.move("ben", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        try await bench.ask("PUT", "/v1/devices/ben", body: #"{"name":"Ben"}"#)
        try await bench.ask("GET", "/osmand?id=ben&lat=52.5&lon=13.4&timestamp=1777629600")
        let inProcess = try await bench.answer(sample.request)
        let overSocket = try await SocketClient(port: bench.takeConnections()).answer(sample.request)
        #expect(inProcess.status == sample.status && overSocket.status == sample.status)
        #expect(Self.headers(inProcess) == Self.headers(overSocket))
        #expect(inProcess.text == overSocket.text)
    }

    @Test("A live stream begins as it does over a connection")
    func stream() async throws {
        let bench = try ServerBench()
        let inProcess = try await bench.ask("GET", "/v1/events/stream")
        #expect(bench.server.api.streams.count == 0)
        let port = try bench.takeConnections()
        let (head, lines) = try await BlockingCall.run { () throws -> (TestAnswer, [String]) in
            let connection = try ServerBench.stream(port)
            let head = try #require(try connection.answer(hasBody: false))
            return (head, [try connection.line(), try connection.line(), try connection.line(), try connection.line()])
        }
        #expect(inProcess.status == 200 && head.status == 200)
        #expect(Self.headers(inProcess) == Self.headers(head))
        #expect(inProcess.text == lines.joined(separator: "\n") + "\n")
    }

    /// The headers without those that belong to a connection.
    private static func headers(_ answer: TestAnswer) -> [TestAnswer.Header] {
        answer.headers.filter { !["date", "connection", "transfer-encoding"].contains($0.name.lowercased()) }
            .sorted { $0.name < $1.name }
    }
}
