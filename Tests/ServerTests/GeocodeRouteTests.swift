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

    private func drive(_ bench: ServerBench) async throws {
        let answer = try await bench.answer(Self.drive)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Sends positions with three stops of the device `van`: two within 5 m of each other, and one at the equator.
    private static var drive: TestRequest {
        let positions = [
            (0, 52.5), (10, 52.5), (11, 51.0), (12, 50.0), (20, 0.0), (30, 0.0), (31, 40.0), (32, 45.0), (40, 52.50004),
            (50, 52.50004),
            (51, 60.0), (52, 61.0),
        ].map { minute, latitude in
            let time = Instant("2026-05-01T10:00:00Z")! + Double(minute) * 60
            return "{\"device\":\"van\",\"timestamp\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":13.4}"
        }
        return TestRequest("POST", "/v1/positions?policy=exact", body: "[\(positions.joined(separator: ","))]")
    }

    private static let stops = "/v1/devices/van/stops?addresses=true"

    /// An API on the data of the bench in this process.
    private func localAPI() throws -> LocalAPI {
        let settings = try Settings(
            flags: ["geocoder": endpoint.url], environment: ["TZ": "UTC"], dataDirectory: bench.data.path,
            systemFile: bench.directory.path + "/none")
        return try LocalAPI(bench.data, settings, command: "test", version: "test", clock: bench.clock)
    }

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
        let local = try await localAPI().answer(TestRequest("GET", Self.stops))
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
        // The directory belongs to the service of the bench.
        let found = try await localAPI().answer(TestRequest("GET", Self.stops)).json()
        #expect(addresses(found).first == "Street 52.5 13.4, en" && found["addressProblem"]?["code"]?.string == "storeBusy")
    }

    @Test(
        "Addresses of a device that is erased while the geocoder answers are not stored, even if the device is added again",
        arguments: [true, false])
    func erasure(isLocal: Bool) async throws {
        if isLocal { bench.stop() }
        let ask: @Sendable (TestRequest) async throws -> TestAnswer
        if isLocal {
            let api = try localAPI()
            ask = { try await api.answer($0) }
        } else {
            let client = bench.client
            ask = { try await client.answer($0) }
        }
        func drive() async throws { #expect(try await ask(Self.drive).status == 200) }
        let erase = TestRequest("POST", "/v1/devices/van:erase")
        // The key of an erased device is used again from the second erasure on.
        try await drive()
        #expect(try await ask(erase).status == 200)
        try await drive()

        let isErased = DispatchSemaphore(value: 0)
        endpoint.script { _, number in
            if number == 0 { isErased.wait() }
            return .answer(200, body: #"{"display_name":"A"}"#)
        }
        let endpoint = endpoint
        async let answered = ask(TestRequest("GET", Self.stops))
        #expect(try await BlockingCall.run { endpoint.wait(for: 1) })
        #expect(try await ask(erase).status == 200)
        try await drive()
        isErased.signal()
        #expect(try await addresses(answered.json()).first == "A" && endpoint.requests.count == 2)

        // Those of the new device are asked for, and stored.
        for _ in 0..<2 { #expect(try await addresses(ask(TestRequest("GET", Self.stops)).json()).first == "A") }
        #expect(endpoint.requests.count == 4)
    }

    @Test("Answers that are too old are deleted every minute, even if nothing else is asked")
    func retention() async throws {
        let start = bench.clock.now()
        #expect(try await bench.ask("GET", "/v1/geocode?q=a").status == 200)
        bench.clock.set(start + 90 * 86_400 + 1)
        try await bench.tick()
        // At this time, the answer would be used.
        bench.clock.set(start)
        #expect(try await bench.ask("GET", "/v1/geocode?q=a").status == 200 && endpoint.requests.count == 2)
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
        #expect(try await answered.status == 503)
        endpoint.stop()
    }

    @Test("A request is refused with status 429 while too many others wait for the geocoder")
    func queue() async throws {
        endpoint.script { _, _ in .hang }
        let client = bench.client
        await withTaskGroup(of: TestAnswer?.self) { group in
            for number in 0..<21 {
                group.addTask {
                    do {
                        return try await client.ask("GET", "/v1/geocode?q=\(number)")
                    } catch {
                        Issue.record(error)
                        return nil
                    }
                }
            }
            let first = await group.next() ?? nil
            #expect(first?.status == 429 && first?["Retry-After"] == "5")
            bench.server.api.geocoder?.stop()
            for await answer in group { #expect(answer?.status == 503) }
        }
        endpoint.stop()
    }
}
