import Geodesy
import Model
import Registry
import Testing

@testable import Comparison

@Suite("App logs")
struct AppLogTests {
    private static let at = Instant("2026-05-01T10:00:00.500Z")!
    private static let home = RegionID("picket/home")

    private static let observations: [AppObservation] = [
        .init(at: at, .transition(.enter, home)), .init(at: at, .transition(.exit, home)),
        .init(at: at, .transition(.dwell, RegionID("com.example.ä"))), .init(at: at, .regions([])),
        .init(
            at: at,
            .regions([
                Region(
                    id: home, circle: Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 150.5),
                    notifyOnEntry: false, notifyOnExit: true)
            ])),
        .init(at: at, .authorization(.whenInUse, isPrecise: nil)), .init(at: at, .authorization(.always, isPrecise: false)),
        .init(at: at, .locationServices(isEnabled: false)), .init(at: at, .error(.regionMonitoringFailure, home)),
        .init(at: at, .error(.requestTooFrequent, nil)), .init(at: at, .error(.init(number: 77, name: "OTHER"), nil)),
    ]

    private static func decode(_ lines: String...) throws -> AppLogDecoder.Result {
        try AppLogDecoder.decode(Array(lines.joined(separator: "\n").utf8), file: "app.ndjson")
    }

    @Test("An observation is read as it is written", arguments: observations)
    func roundTrip(_ observation: AppObservation) throws {
        let result = try Self.decode(observation.json.description)
        #expect(result.observations == [observation] && result.refusals.isEmpty)
    }

    @Test(
        "A line that cannot be used is refused by line, field and reason, and the others count",
        arguments: [
            (#"{"type":"enter","identifier":"picket/home"}"#, "at", "missing"),
            (#"{"at":"yesterday","type":"enter","identifier":"picket/home"}"#, "at", "time"),
            (#"{"at":"2026-05-01T10:00:00Z","identifier":"picket/home"}"#, "type", "missing"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"entered","identifier":"picket/home"}"#, "type", "enter, exit, dwell"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"enter"}"#, "identifier", "missing"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"enter","identifier":7}"#, "identifier", "string"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"enter","identifier":"picket/home","radius":3}"#, "radius", "an observation"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"regions"}"#, "regions", "missing"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"regions","regions":[{"identifier":"a"}]}"#, "regions[0]", "latitude"),
            (#"{"at":"2026-05-01T10:00:00Z","type":"authorization"}"#, "authorizationStatus", "always"),
            (
                #"{"at":"2026-05-01T10:00:00Z","type":"authorization","authorizationStatus":"sometimes"}"#, "authorizationStatus",
                "always"
            ),
            (
                #"{"at":"2026-05-01T10:00:00Z","type":"locationServices","locationServicesEnabled":"no"}"#,
                "locationServicesEnabled", "true"
            ),
            (#"{"at":"2026-05-01T10:00:00Z","type":"error"}"#, "code", "missing"),
            (#"{"at":"2026-05-01T10:00:00Z","#, "line", "JSON"), ("[]", "body", "object"), ("null", "body", "object"),
            ("\u{1}", "line", "JSON"),
        ])
    func refused(_ line: String, _ field: String, _ words: String) throws {
        let good = Self.observations[0].json.description
        let result = try Self.decode(good, "", line, good)
        #expect(result.observations.count == 2)
        let refusal = try #require(result.refusals.first)
        #expect(result.refusals.count == 1 && refusal.line == 3 && refusal.file == "app.ndjson" && refusal.field == field)
        for language in Language.allCases { #expect(!refusal.reason.text(in: language).isEmpty) }
        #expect(
            refusal.reason.text(in: .english).contains(words), "\(refusal.reason.text(in: .english))")
    }

    @Test("Windows line ends, a byte order mark and a missing last line end are no fault")
    func lineEnds() throws {
        let line = Self.observations[0].json.description
        let result = try AppLogDecoder.decode(Array("\u{FEFF}\(line)\r\n\r\n\(line)\r\n\(line)".utf8), file: nil)
        #expect(result.observations.count == 3 && result.refusals.isEmpty)
    }

    @Test("A file that is not a log at all is refused as a whole")
    func otherFile() {
        let bytes = Array(String(repeating: "x\n", count: AppLogDecoder.mostRefusals + 1).utf8)
        #expect(throws: Problem.self) { try AppLogDecoder.decode(bytes, file: "photo.jpg") }
    }

    @Test("A log is put in order of time, and the same observation counts once")
    func order() {
        let (a, b) = (Self.observations[0], AppObservation(at: Self.at + -60, .transition(.exit, Self.home)))
        let log = AppLog([a, b, a, b, a])
        #expect(log.observations == [b, a] && log.doubled == 3 && log.outOfOrder == 1)
    }

    @Test("Identifiers are those of Picket and those with the app's prefix")
    func names() {
        let none = RegionNames()
        let own = RegionNames(prefix: "com.example.")
        let bare = RegionNames(prefix: "")
        #expect([none, own, bare].map { $0.geofence(of: RegionID("picket/home")) } == ["home", "home", "home"])
        #expect([none, own, bare].map { $0.geofence(of: RegionID("com.example.home")) } == [nil, "home", "com.example.home"])
        #expect([none, own, bare].map { $0.geofence(of: RegionID("home")) } == [nil, nil, "home"])
        #expect([none, own, bare].allSatisfy { $0.geofence(of: .sentinel) == nil })
    }
}
