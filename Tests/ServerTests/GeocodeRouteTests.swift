import Core
import Foundation
import Model
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Addresses and places over HTTP")
struct GeocodeRouteTests {
    private let endpoint: ScriptedEndpoint
    private let bench: ServerBench

    init() throws {
        endpoint = try ScriptedEndpoint.geocoder()
        bench = try ServerBench(flags: ["geocoder": endpoint.url])
    }

    /// Three stops of the device `van`: two within 5 m of each other, and one at the equator.
    private func drive(_ bench: ServerBench) async throws {
        var lines = ""
        for (minute, latitude) in [
            (0, 52.5), (10, 52.5), (11, 51.0), (12, 50.0), (20, 0.0), (30, 0.0), (31, 40.0), (32, 45.0), (40, 52.50004),
            (50, 52.50004),
            (51, 60.0), (52, 61.0),
        ] {
            let time = Instant("2026-05-01T10:00:00Z")! + Double(minute) * 60
            lines += "{\"device\":\"van\",\"timestamp\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":13.4}\n"
        }
        let answer = try await bench.ask("POST", "/v1/positions?policy=exact", body: lines, type: "application/x-ndjson")
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static let stops = "/v1/devices/van/stops?addresses=true"

    private func addresses(_ answer: JSONValue) -> [String?] { (answer["stops"]?.array ?? []).map { $0["address"]?.string } }

    @Test("Stops have addresses on request, near ones by one question, which is not asked again after a restart")
    func stops() async throws {
        try await drive(bench)
        let plain = try await bench.json("/v1/devices/van/stops")
        #expect(addresses(plain) == [nil, nil, nil] && plain.members?.count == 1 && endpoint.requests.isEmpty)
        let found = try await bench.json(Self.stops)
        #expect(addresses(found) == ["Street 52.5 13.4, en", nil, "Street 52.5 13.4, en"])
        #expect(found["attribution"]?.string == "© OpenStreetMap contributors" && found.members?.count == 2)
        #expect(endpoint.requests.count == 2)
        #expect(try await bench.json(Self.stops) == found)
        let german = try await bench.json(Self.stops, headers: ["Accept-Language": "de"])
        #expect(addresses(german) == ["Street 52.5 13.4, de", nil, "Street 52.5 13.4, de"])
        #expect(endpoint.requests.count == 4)
        #expect(endpoint.requests.allSatisfy { $0.headers["user-agent"] == "Picket/test" })

        // Without a service, the same answers come from the store.
        bench.stop()
        let settings = try Settings(
            flags: ["geocoder": endpoint.url], environment: ["TZ": "UTC"], dataDirectory: bench.data.path,
            systemFile: bench.directory.path + "/none")
        let api = try LocalAPI(bench.data, settings, command: "test", version: "test", clock: bench.clock)
        let local = try await api.answer(TestRequest("GET", Self.stops))
        #expect(try local.json() == found && endpoint.requests.count == 4)
    }

    @Test("A restricted reader gets addresses, and the answers for one token are used for others")
    func restricted() async throws {
        try await drive(bench)
        let secret = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string
        let admin = ["Authorization": "Bearer \(try #require(secret))"]
        let made = try await bench.ask(
            "POST", "/v1/tokens", body: #"{"name":"guest","role":"reader","devices":["van"]}"#, headers: admin
        ).json()["secret"]?.string
        let guest = ["Authorization": "Bearer \(try #require(made))"]
        let found = try await bench.json(Self.stops, headers: guest)
        #expect(addresses(found).first == "Street 52.5 13.4, en")
        #expect(try await bench.json(Self.stops, headers: admin) == found && endpoint.requests.count == 2)
    }

    @Test("When the geocoder fails, the stops are answered with the problem and the addresses that are known")
    func failure() async throws {
        try await drive(bench)
        endpoint.script { request, _ in
            request.target.contains("lat=0.0") ? .answer(500, body: "broken") : .answer(200, body: #"{"display_name":"A"}"#)
        }
        let found = try await bench.json(Self.stops)
        #expect(addresses(found) == ["A", nil, "A"])
        #expect(found["addressProblem"]?["code"]?.string == "geocoderFailed" && found["pendingAddresses"] == nil)
        // What was found is stored.
        endpoint.stop()
        #expect(try await addresses(bench.json(Self.stops)) == ["A", nil, "A"])
    }

    @Test("Addresses that cannot be stored are answered with the problem")
    func busy() async throws {
        try await drive(bench)
        let settings = try Settings(
            flags: ["geocoder": endpoint.url], environment: ["TZ": "UTC"], dataDirectory: bench.data.path,
            systemFile: bench.directory.path + "/none")
        // The directory belongs to the service of the bench.
        let api = try LocalAPI(bench.data, settings, command: "test", version: "test", clock: bench.clock)
        let found = try await api.answer(TestRequest("GET", Self.stops)).json()
        #expect(addresses(found).first == "Street 52.5 13.4, en" && found["addressProblem"]?["code"]?.string == "storeBusy")
    }

    @Test("Places are found by text, once for each text and language, and nothing found is an answer")
    func places() async throws {
        let target = "/v1/geocode?q=%20Unter%20%20den%20Linden"
        let found = try await bench.ask("GET", target)
        #expect(
            found.text
                == #"{"places":[{"name":"Unter den Linden, Germany","latitude":52.51,"longitude":13.39,"south":52.5,"west":13.38,"north":52.52,"east":13.4}],"#
                + #""attribution":"© OpenStreetMap contributors"}"#)
        #expect(try await bench.ask("GET", target).text == found.text && endpoint.requests.count == 1)
        #expect(try await bench.json("/v1/geocode?q=nowhere")["places"] == .array([]))
        #expect(try await bench.ask("GET", "/v1/geocode?q=nowhere").status == 200 && endpoint.requests.count == 2)
    }

    @Test("A refusal by the geocoder is not one by the service")
    func refused() async throws {
        endpoint.script { _, _ in .answer(401, body: "who are you") }
        let answer = try await bench.ask("GET", "/v1/geocode?q=a")
        #expect(answer.status == 502 && answer["WWW-Authenticate"] == nil)
        #expect(try answer.json()["code"] == "geocoderFailed" && answer.text.contains(endpoint.url))
    }

    @Test("Without a geocoder, and for texts that cannot be used, the answer names the reason")
    func refusals() async throws {
        let plain = try ServerBench()
        try await drive(plain)
        for (target, field) in [(Self.stops, "addresses"), ("/v1/geocode?q=a", "q")] {
            let answer = try await plain.ask("GET", target)
            #expect(answer.status == 422 && answer.text.contains("the setting 'geocoder'"), "\(answer.text)")
            #expect(try answer.json()["parameters"]?["field"]?.string == field)
        }
        for bad in ["", "?q=", "?q=%20", "?q=" + String(repeating: "a", count: 201)] {
            #expect(try await bench.ask("GET", "/v1/geocode" + bad).status == 422, "\(bad)")
        }
        #expect(try await bench.ask("GET", "/v1/geocode?q=" + String(repeating: "a", count: 200)).status == 200)
        #expect(try await plain.json("/v1/session")["hasGeocoder"] == nil)
        #expect(try await bench.json("/v1/session")["hasGeocoder"] == true)
    }

    @Test("A request that waits for the geocoder ends when the service stops")
    func stop() async throws {
        endpoint.script { _, _ in .hang }
        let (client, server, endpoint) = (bench.client, bench.server, endpoint)
        async let answered = client.ask("GET", "/v1/geocode?q=a")
        #expect(try await BlockingCall.run { endpoint.wait(for: 1) })
        server.api.geocoder?.stop()
        #expect(try await answered.status == 502)
        endpoint.stop()
    }
}
