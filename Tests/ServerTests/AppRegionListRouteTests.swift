import Model
import TestSupport
import Testing

@Suite("Reports of your own app over HTTP")
struct AppRegionListRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Sends a report with these members beside the authorization "always".
    @discardableResult
    private func report(
        _ more: String, regions: [String] = [], of device: String = "app", by secret: String? = nil
    ) async throws -> TestAnswer {
        try await bench.ask(
            "PUT", "/v1/devices/\(device)/registry",
            body: "{\"authorizationStatus\":\"always\",\"regions\":[\(regions.joined(separator: ","))]\(more)}",
            headers: Self.shown(secret))
    }

    private static func shown(_ secret: String?) -> [String: String] {
        secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }

    private func region(_ id: String, radius: Double = 200) -> String {
        "{\"identifier\":\"\(id)\",\"latitude\":52.5,\"longitude\":13.4,\"radius\":\(radius)}"
    }

    private func token(_ body: String, by secret: String? = nil) async throws -> String {
        let made = try await bench.ask("POST", "/v1/tokens", body: body, headers: Self.shown(secret))
        return try #require(try made.json()["secret"]?.string)
    }

    // MARK: - The device

    @Test(
        "The first report creates the device if it names the platform or something that only one platform has",
        arguments: [
            (#","platform":"ios""#, "ios"), (#","platform":"android""#, "android"), (#","backgroundRefresh":true"#, "ios"),
            (#","batteryOptimized":false"#, "android"),
        ])
    func makesDevice(_ more: String, _ platform: String) async throws {
        try await bench.add("home", 52.5, 13.4, radius: 200)
        let made = try await report(more)
        #expect(made.status == 201 && made["Location"] == "/v1/devices/app/registry")
        #expect(try made.json().column("operations", "identifier") == ["picket/home"])
        let device = try await bench.json("/v1/devices/app")
        #expect(device["registry"]?.string == "app" && device["platform"]?.string == platform)
        #expect(try await report("").status == 200)
    }

    @Test(
        "Without a platform no device is made, and the field is named",
        arguments: ["", #","batteryOptimized":true,"backgroundRefresh":true"#])
    func needsPlatform(_ more: String) async throws {
        let answer = try await report(more)
        #expect(answer.status == 422)
        #expect(try answer.json()["parameters"]?["field"]?.string == "platform")
        #expect(try await bench.ask("GET", "/v1/devices/app").status == 404)
        #expect(try await report(#","platform":"windows""#).status == 422)
    }

    @Test("A token of one device makes this device alone, and a token without a device any")
    func tokens() async throws {
        let admin = try await token(#"{"name":"a","role":"admin"}"#)
        let own = try await token(#"{"name":"b","role":"ingest","device":"app"}"#, by: admin)
        let reader = try await token(#"{"name":"c","role":"reader"}"#, by: admin)
        let some = try await token(#"{"name":"d","role":"ingest","groups":["family"]}"#, by: admin)
        let any = try await token(#"{"name":"e","role":"ingest"}"#, by: admin)
        let platform = #","platform":"ios""#
        #expect(try await report(platform, of: "other", by: own).status == 403)
        #expect(try await report(platform, by: own).status == 201)
        #expect(try await report(platform, of: "other", by: reader).status == 403)
        #expect(try await report(platform, of: "other", by: some).status == 403)
        #expect(try await report(platform, of: "other", by: any).status == 201)
        #expect(try await report(platform, of: "third", by: admin).status == 201)
        #expect(try await report(platform, of: "fourth").status == 401)
        let devices = try await bench.json("/v1/devices", headers: Self.shown(admin))
        #expect(devices.column("devices", "id") == ["app", "other", "third"])
    }

    @Test("A device that positions have made becomes one with an app by its first report")
    func positionsFirst() async throws {
        try await bench.move("app", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        #expect(try await report("").status == 422)
        #expect(try await report(#","platform":"android""#).status == 200)
        let device = try await bench.json("/v1/devices/app")
        #expect(device["registry"]?.string == "app" && device["platform"]?.string == "android")
    }

    @Test("A device with another registry refuses the report as a conflict", arguments: ["simulated", "owntracks"])
    func otherRegistry(_ registry: String) async throws {
        try await bench.ask("PUT", "/v1/devices/app", body: "{\"platform\":\"ios\",\"registry\":\"\(registry)\"}")
        let answer = try await report(#","platform":"ios""#)
        #expect(answer.status == 409 && answer.text.contains(registry), "\(answer.text)")
        #expect(try await bench.json("/v1/devices/app")["registry"]?.string == registry)
    }

    @Test("A report of another platform than the device's is refused")
    func otherPlatform() async throws {
        try await report(#","platform":"ios""#)
        let answer = try await report(#","platform":"android""#)
        #expect(answer.status == 422)
        #expect(try answer.json()["parameters"]?["field"]?.string == "platform")
    }

    // MARK: - Identifiers

    @Test("An app's own identifiers are in what goes out, and geofence ids in health")
    func identifiers() async throws {
        for id in ["home", "work", "gym"] { try await bench.add(id, 52.5, 13.4, radius: 200) }
        let names = #","platform":"ios","identifierPrefix":"fence-","identifiers":{"home":"HOME"}"#
        let answer = try await report(
            names, regions: [region("HOME", radius: 300), region("fence-old"), region("picket/work"), region("ad-sdk")]
        ).json()
        let health = try #require(answer["health"])
        #expect(health["registeredWithOS"] == ["home", "old"])
        #expect(health["missingFromOS"] == ["gym", "work"] && health["orphanedInOS"] == ["old"])
        #expect(health.column("findings", "finding") == ["missing", "missing", "orphaned", "drifted", "foreign", "foreign"])
        let operations = (answer["operations"]?.array ?? []).map {
            "\($0["operation"]?.string ?? "") \($0["identifier"]?.string ?? "") \($0["geofenceId"]?.string ?? "")"
        }
        #expect(
            operations.sorted() == ["start HOME home", "start fence-gym gym", "start fence-work work", "stop fence-old old"])
        for operation in answer["operations"]?.array ?? [] where operation["operation"] == "start" {
            #expect(operation["region"]?["identifier"] == operation["identifier"])
        }
        let registry = try await bench.json("/v1/devices/app/registry")
        #expect(registry.column("regions", "identifier") == ["HOME", "fence-old", "ad-sdk", "picket/work"])
        #expect(registry.column("regions", "verdict") == ["wrong", "unwanted", "foreign", "foreign"])
        #expect(registry.column("regions", "geofenceId") == ["home", "old"])
    }

    @Test("Identifiers that were sent once are kept, until a report has others")
    func keptIdentifiers() async throws {
        try await bench.add("home", 52.5, 13.4, radius: 200)
        try await report(#","platform":"ios","identifierPrefix":"fence-""#)
        #expect(try await report("", regions: [region("fence-home")]).json()["operations"] == [])
        #expect(try await report(#","identifierPrefix":null"#, regions: [region("fence-home")]).json()["operations"] == [])
        let changed = try await report(#","identifiers":{"home":"H"}"#, regions: [region("fence-home")]).json()
        #expect(changed.column("operations", "identifier") == ["H"])
        #expect(changed["health"]?.column("findings", "finding") == ["missing", "foreign"])
        // An older report is answered by the newest, and changes nothing.
        let older = try await report(#","identifierPrefix":"x","reportedAt":"2026-11-20T11:00:00Z""#).json()
        #expect(older.column("operations", "identifier") == ["H"])
        #expect(older["reportedAt"]?.string == "2026-11-20T12:00:00.000Z")
    }

    @Test("The sentinel has the prefix, or the identifier of its key", arguments: [("", "fence-#sentinel"), ("guard", "guard")])
    func sentinel(_ assigned: String, _ identifier: String) async throws {
        for number in 1...5 { try await bench.add("f\(number)", 52.5, 13.4, radius: 200) }
        try await report(#","platform":"ios""#)
        try await bench.move("app", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        let names = assigned.isEmpty ? "" : ##","identifiers":{"#sentinel":"\##(assigned)"}"##
        let answer = try await report(#","limit":3,"identifierPrefix":"fence-""# + names).json()
        #expect(answer.column("operations", "identifier").contains(identifier))
        #expect(answer["operations"]?.array?.count == 3)
    }

    @Test("Failures are named by the app's identifiers, and health names their cause")
    func failures() async throws {
        try await bench.add("home", 52.5, 13.4, radius: 200)
        let failure = #"{"identifier":"fence-home","code":"GEOFENCE_INSUFFICIENT_LOCATION_PERMISSION","number":1004}"#
        let answer = try await report(#","platform":"android","identifierPrefix":"fence-","failures":[\#(failure)]"#).json()
        let finding = answer["health"]?["findings"]?.array?.first
        #expect(finding?["cause"]?.string == "Android refused it: GEOFENCE_INSUFFICIENT_LOCATION_PERMISSION (1004)")
        #expect(finding?["recoveryAction"]?.string == "openSettings")
    }

    @Test(
        "Identifiers that cannot be used are refused by the name of the field, and nothing is stored",
        arguments: [
            (#""identifierPrefix":"""#, "identifierPrefix"), (#""identifierPrefix":7"#, "identifierPrefix"),
            (#""identifierPrefix":"123456789012345678901234567890123456x""#, "identifierPrefix"),
            (#""identifiers":[]"#, "identifiers"), (#""identifiers":{"home":7}"#, "identifiers.home"),
            (#""identifiers":{"home":""}"#, "identifiers.home"), (#""identifiers":{"two words":"x"}"#, "identifiers"),
            (#""identifiers":{"home":"x","work":"x"}"#, "identifiers.work"),
            (#""identifiers":{"home":"picket/work"}"#, "identifiers.home"),
        ])
    func refused(_ names: String, _ field: String) async throws {
        let answer = try await report(#","platform":"android","# + names)
        #expect(answer.status == 422)
        #expect(try answer.json()["parameters"]?["field"]?.string == field)
        #expect(try await bench.ask("GET", "/v1/devices/app").status == 404)
    }

    @Test("A list that has a region twice is refused")
    func twice() async throws {
        let answer = try await report(#","platform":"ios""#, regions: [region("a"), region("b"), region("a")])
        #expect(answer.status == 422)
        #expect(try answer.json()["parameters"]?["field"]?.string == "regions[2].identifier")
    }

    // MARK: - Age

    @Test("The answer and the registry show when the list was reported, and when it will be too old")
    func staleness() async throws {
        let answer = try await report(#","platform":"ios""#).json()
        #expect(answer["reportedAt"]?.string == "2026-11-20T12:00:00.000Z")
        #expect(answer["staleAt"]?.string == "2026-11-21T12:00:00.000Z")
        let registry = try await bench.json("/v1/devices/app/registry")
        #expect(registry["reportedAt"] == answer["reportedAt"] && registry["staleAt"] == answer["staleAt"])
        let health = try await bench.json("/v1/devices/app/health")
        #expect(health["staleAt"] == answer["staleAt"])
        bench.clock.set(Instant("2026-11-21T12:00:01Z")!)
        let stale = try await bench.ask("GET", "/v1/devices/app/registry")
        #expect(try stale.json()["code"]?.string == "registryStale")
        let late = try await report(#","reportedAt":"2026-11-20T12:00:00Z""#).json()
        #expect(late["health"]?["isStale"]?.bool == true && late["operations"] == [])
    }

    @Test(
        "The setting app-report-max-age says how long a report counts",
        arguments: [("1h", "2026-11-20T13:00:00.000Z"), ("0", nil)])
    func maxAge(_ setting: String, _ staleAt: String?) async throws {
        let bench = try ServerBench(flags: ["app-report-max-age": setting])
        let answer = try await bench.ask(
            "PUT", "/v1/devices/app/registry", body: #"{"authorizationStatus":"always","platform":"ios","regions":[]}"#
        ).json()
        #expect(answer["staleAt"]?.string == staleAt)
        #expect(answer["reportedAt"]?.string == "2026-11-20T12:00:00.000Z")
    }
}
