import Core
import History
import Model
import TestSupport
import Testing

/// Phone apps always get a success; these tests check what people can see.
@Suite("Unusable input of phones")
struct PhoneRouteTests {
    /// A request of a phone's app, and the expected problem.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var target: String
        var body: String?
        var device = "jane/phone"
        var field: String
        var kind: Refusal.Kind
        /// The expected description of the field; nil for the field itself.
        var what: String?

        var testDescription: String { name }
    }

    private static let topic = #""topic":"owntracks/jane/phone""#

    static let cases: [Case] = [
        .init(
            name: "an encrypted message", target: "/owntracks",
            body: #"{"_type":"encrypted","data":"QUJD","topic":"owntracks/jane/phone"}"#, field: "_type", kind: .encrypted,
            what: "an encrypted message"),
        .init(
            name: "a location more than ten minutes ahead", target: "/pub",
            body: #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176700,\#(topic)}"#, field: "tst",
            kind: .aheadOfClock),
        .init(
            name: "a location without a device", target: "/owntracks",
            body: #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176000}"#, device: "", field: "device",
            kind: .unknownDevice),
        .init(
            name: "a latitude that is not a number", target: "/osmand?id=van&lat=abc&lon=13.4&timestamp=1795176000",
            device: "van",
            field: "lat", kind: .unreadable),
        .init(
            name: "a time that is none", target: "/?id=van&lat=52.5&lon=13.4&timestamp=yesterday", device: "van",
            field: "timestamp", kind: .unreadable),
        .init(
            name: "a transition before the first location", target: "/owntracks",
            body: #"{"_type":"transition","event":"enter","desc":"Home","tst":1795176000,"wtst":1,"#
                + #""topic":"owntracks/jane/phone/event"}"#,
            field: "_type", kind: .beforeFirstPosition, what: "a region report before its first position"),
        .init(
            name: "a body that is not JSON", target: "/owntracks?u=jane&d=phone", body: "{", field: "body", kind: .malformed,
            what: "a request that does not follow the protocol"),
        .init(
            name: "a body that is too large", target: "/osmand?id=van", body: String(repeating: "x", count: 1_100_000),
            device: "van", field: "body", kind: .tooLarge, what: "a request that is too large"),
        .init(
            name: "a message of no type", target: "/owntracks?u=jane&d=phone", body: "{}", field: "_type", kind: .malformed,
            what: "a request that does not follow the protocol"),
    ]

    @Test("Unusable input is answered with 200, and gives a problem, a counter and one warning", arguments: cases)
    func unusableInput(_ tested: Case) async throws {
        let bench = try ServerBench(logLevel: .info)
        for count in 1...3 {
            let answer = try await bench.ask(tested.body == nil ? "GET" : "POST", tested.target, body: tested.body)
            #expect(answer.status == 200, "\(answer.text)")
            let problems = try await bench.json("/v1/problems")["problems"]?.array ?? []
            #expect(problems.count == 1)
            let standing = try #require(problems.first)
            #expect(standing["source"]?.string == (tested.device.isEmpty ? "intake" : "intake/" + tested.device))
            #expect(standing["consecutiveFailures"]?.double == Double(count))
            #expect(standing["isEscalated"]?.bool == (count == 3))
            let parameters = try #require(standing["problem"]?["parameters"])
            #expect(standing["problem"]?["code"]?.string == "inputRefused")
            #expect(parameters["device"]?.string == tested.device)
            #expect(parameters["field"]?.string == tested.field)
            #expect(parameters["kind"]?.string == tested.kind.rawValue)
            // The device's resource lists the refused input, even if none of its input was usable yet.
            if !tested.device.isEmpty {
                let path = "/v1/devices/" + tested.device.replacing("/", with: "%2F")
                let device = try await bench.json(path)
                #expect(device["refusedInput"]?.array?.first?["count"]?.double == Double(count), "\(device)")
                #expect(device["problems"]?.array?.count == 1)
            }
            let message = try #require(standing["problem"]?["message"]?.string)
            let whose = tested.device.isEmpty ? "Picket received" : tested.device
            #expect(message.contains(tested.what ?? tested.field) && message.contains(whose), "\(message)")
        }
        let lines = try bench.log.split(separator: "\n").filter { $0.contains("unusable") }
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains("warning") == true && lines.first?.contains(tested.field) == true, "\(lines)")
    }

    private static let good = #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176000,\#(topic)}"#
    private static let later = #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176300,\#(topic)}"#
    private static let ahead = #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795177700,\#(topic)}"#
    /// Seconds without refused input after which usable input ends its problem.
    private static let patience = 300.0

    @Test("The problem ends with usable input some minutes later, and the counter stays")
    func resolved() async throws {
        let bench = try ServerBench()
        for _ in 0..<2 { try await bench.ask("POST", "/owntracks", body: Self.ahead) }
        try await bench.ask("POST", "/owntracks", body: Self.good)
        #expect(try await bench.json("/v1/devices/jane%2Fphone")["problems"]?.array?.count == 1)
        bench.clock.set(bench.clock.now() + Self.patience)
        try await bench.ask("POST", "/owntracks", body: Self.later)
        try await bench.ask("POST", "/owntracks?u=ben&d=phone", body: Self.ahead)
        let device = try await bench.json("/v1/devices/jane%2Fphone")
        #expect(device["problems"] == nil)
        let refused = try #require(device["refusedInput"]?.array?.first)
        #expect(refused["kind"]?.string == "aheadOfClock")
        #expect(refused["field"]?.string == "tst")
        #expect(refused["count"]?.double == 2)
        let problems = try await bench.json("/v1/problems")
        #expect(problems.column("problems", "source") == ["intake/ben/phone"])
        let message = try #require(problems["problems"]?.array?.first?["problem"]?["message"]?.string)
        #expect(
            message.contains("tst '1795177700': it means 2026-11-20T12:28:20.000Z, 23 min")
                && message.contains("in the future"))
        // A device as answered can be written back.
        #expect(try await bench.ask("PUT", "/v1/devices/jane%2Fphone", body: device.description).status == 200)
    }

    @Test("The problem is shown with its device, and erased with it")
    func erased() async throws {
        let bench = try ServerBench()
        try await bench.ask("POST", "/owntracks", body: Self.good)
        try await bench.ask("POST", "/owntracks", body: Self.ahead)
        let device = try await bench.json("/v1/devices/jane%2Fphone")
        #expect(device["problems"]?.array?.first?["problem"]?["code"]?.string == "inputRefused")
        #expect(try await bench.ask("POST", "/v1/devices/jane%2Fphone:erase", body: "").status == 200)
        #expect(try await bench.json("/v1/problems?all=true")["problems"]?.array?.isEmpty == true)
        try await bench.ask("POST", "/owntracks", body: Self.good)
        #expect(try await bench.json("/v1/devices/jane%2Fphone")["refusedInput"] == nil)
    }

    @Test("A request with usable and unusable positions leaves the problem standing")
    func mixed() async throws {
        let bench = try ServerBench()
        try await bench.ask("POST", "/owntracks", body: "[\(Self.good),\(Self.ahead)]")
        #expect(try await bench.json("/v1/problems").column("problems", "source") == ["intake/jane/phone"])
        #expect(try await bench.json("/v1/devices/jane%2Fphone/track")["fixes"]?.array?.count == 1)
    }

    @Test("A transition report before the first position creates the device and is kept")
    func firstTransition() async throws {
        let bench = try ServerBench()
        let report =
            #"{"_type":"transition","event":"enter","desc":"Home","tst":1795176000,"topic":"owntracks/jane/phone/event"}"#
        try await bench.ask("POST", "/owntracks", body: report)
        var exported = ""
        try ServiceReader(bench.data).exportDevice(id: "jane/phone") { exported += $0.description + "\n" }
        #expect(exported.contains("\"evidence\"") && exported.contains("Home"), "\(exported)")
        #expect(exported.contains("\"refusedInput\""), "\(exported)")
        #expect(try await bench.json("/v1/problems").column("problems", "source") == ["intake/jane/phone"])
        bench.clock.set(bench.clock.now() + Self.patience)
        try await bench.ask("POST", "/owntracks", body: Self.good)
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.isEmpty == true)
    }

    @Test("Input without a device is counted for the token that sent it")
    func ofToken() async throws {
        let bench = try ServerBench()
        let admin = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()
        let tracker = try await bench.ask(
            "POST", "/v1/tokens", body: #"{"name":"tracker","role":"ingest"}"#,
            headers: ["Authorization": "Bearer \(admin["secret"]?.string ?? "")"]
        ).json()
        let answer = try await bench.ask(
            "POST", "/pub", body: #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176000}"#,
            headers: ["Authorization": "Bearer \(tracker["secret"]?.string ?? "")"])
        #expect(answer.status == 200, "\(answer.text)")
        let problems = try await bench.json(
            "/v1/problems", headers: ["Authorization": "Bearer \(admin["secret"]?.string ?? "")"])
        #expect(problems.column("problems", "source") == ["intake-token/tracker"])
        // A usable report with the same token resolves the problem a few minutes later.
        bench.clock.set(bench.clock.now() + Self.patience)
        _ = try await bench.ask(
            "POST", "/pub?u=jane&d=phone", body: #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176000}"#,
            headers: ["Authorization": "Bearer \(tracker["secret"]?.string ?? "")"])
        let rest = try await bench.json(
            "/v1/problems", headers: ["Authorization": "Bearer \(admin["secret"]?.string ?? "")"])
        #expect(rest.column("problems", "source").isEmpty)
    }

    @Test("An invalid position is stored, and decides nothing, even in a replay")
    func invalid() async throws {
        let bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        func send(_ latitude: Double, _ time: Int, valid: String) async throws {
            let target = "/osmand?id=van&lat=\(latitude)&lon=13.4&timestamp=\(1_795_176_000 + time)&hdop=1.5&valid=\(valid)"
            #expect(try await bench.ask("GET", target).status == 200)
        }
        try await send(52.6, 0, valid: "true")
        for time in 1...4 { try await send(52.5, 10 * time, valid: "false") }
        try await send(52.6, 60, valid: "true")
        #expect(try await bench.json("/v1/events")["events"]?.array?.isEmpty == true)
        let track = try await bench.json("/v1/devices/van/track")["fixes"]?.array ?? []
        #expect(track.map { $0["valid"]?.bool ?? true } == [true, false, false, false, false, true])
        #expect(track.map { $0["accuracy"]?.double } == Array(repeating: 7.5, count: 6))
        let replay = try await bench.ask("POST", "/v1/replay", body: #"{"deviceId":"van"}"#)
        #expect(replay.status == 200, "\(replay.text)")
        #expect(!replay.text.contains("\"enter\""), "\(replay.text)")
        #expect(try await bench.json("/v1/devices/van")["lastFix"]?["latitude"]?.double == 52.6)
        // The same position again is a duplicate.
        try await send(52.5, 10, valid: "false")
        #expect(try await bench.json("/v1/devices/van/track")["fixes"]?.array?.count == 6)
    }
}
