import Model
import TestSupport
import Testing

@Suite("Health and repair over HTTP")
struct HealthRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    @Test("A phone with missing geofences is repaired, and then healthy")
    func repair() async throws {
        for number in 1...3 { try await bench.add("f\(number)", 52.5, 13.4) }
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        try await bench.ask("PUT", "/v1/devices/tracker", body: "{}")
        let before = try await bench.json("/v1/devices/phone/health")
        #expect(before["isHealthy"]?.bool == false)
        #expect(before["missingFromOS"]?.array?.count == 3)

        let planned = try await bench.ask("POST", "/v1/devices/phone/fix-registration?dryRun=true", body: "").json()
        #expect(planned.column("operations", "outcome") == ["planned", "planned", "planned"])
        #expect(planned["calls"]?.double == 0)
        #expect(try await bench.json("/v1/devices/phone/health")["isHealthy"]?.bool == false)

        let repaired = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "").json()
        #expect(repaired["after"]?["isHealthy"]?.bool == true)
        #expect(try await bench.json("/v1/devices/phone/health")["statusSummary"]?.string == "Healthy")
        let again = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "").json()
        #expect(again["calls"]?.double == 0)

        let registry = try await bench.json("/v1/devices/phone/registry")
        #expect(registry.column("regions", "identifier") == ["picket/f1", "picket/f2", "picket/f3"])
        #expect(registry.column("regions", "verdict") == ["right", "right", "right"] && registry["isListed"] == true)
        #expect(registry.column("regions", "name").count == 3)
        _ = try await bench.ask("DELETE", "/v1/geofences/f2")
        let orphaned = try #require(try await bench.json("/v1/devices/phone/registry")["regions"]?.array?[1])
        #expect(orphaned["verdict"] == "unwanted" && orphaned["cause"] == "there is no longer a geofence with this identifier")
        _ = try await bench.ask("PUT", "/v1/geofences/f2", body: #"{"name":"f2","latitude":52.5,"longitude":13.4,"radius":100}"#)
        #expect(try await bench.ask("GET", "/v1/devices/tracker/registry").status == 422)

        let history = try await bench.json("/v1/devices/phone/repairs?limit=1")
        #expect(history["repairs"]?.array?.first?["calls"]?.double == 0)
        let next = try #require(history["next"]?.string)
        let older = try await bench.json("/v1/devices/phone/repairs?after=\(next)")
        #expect(older["repairs"]?.array?.map { $0["calls"]?.double == 0 } == [false])
        #expect(older["next"] == nil)

        let all = try await bench.json("/v1/health?totals=true")
        #expect(all.column("devices", "deviceId") == ["phone"])
        #expect(all["totals"]?["healthy"]?.double == 1)
        #expect(all["totals"]?["notManaged"]?.double == 1)
    }

    @Test("Sentences are in the language that is asked for, including those of repairs on record; codes are the same in all")
    func languages() async throws {
        try await bench.add("f1", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        let turkish = ["Accept-Language": "tr"]
        let path = "/v1/devices/phone"
        let health = try await bench.json(path + "/health?explain=true", headers: turkish)
        #expect(health["statusSummary"]?.string == "1 coğrafi sınır iOS tarafında kayıtlı değil")
        #expect(health["findings"]?.array?.first?["finding"]?.string == "missing")
        #expect(health["findings"]?.array?.first?["cause"]?.string == "iOS tarafında kayıtlı değil")
        #expect(
            health["standings"]?.array?.first?["standing"]?.string
                == "eksik: kayıtlı olmalı, çünkü bütün coğrafi sınırlar için yer var")
        let all = try await bench.json("/v1/health", headers: turkish)
        #expect(all["devices"]?.array?.first?["statusSummary"] == health["statusSummary"])

        let repaired = try await bench.ask("POST", path + "/fix-registration", body: "", headers: turkish).json()
        let operation = try #require(repaired["operations"]?.array?.first)
        #expect(operation["operation"]?.string == "start" && operation["reason"]?.string == "kayıtlı olmalı, ama değil")
        #expect(repaired["after"]?["statusSummary"]?.string == "Sağlıklı")
        #expect(try await bench.json(path + "/repairs", headers: turkish)["repairs"]?.array?.first == repaired)
        let english = try #require(try await bench.json(path + "/repairs")["repairs"]?.array?.first)
        #expect(english["operations"]?.array?.first?["reason"]?.string == "it should be registered, but is not")
        #expect(english["after"]?["statusSummary"]?.string == "Healthy" && english["translations"] == nil)

        try await bench.ask("DELETE", "/v1/geofences/f1")
        let region = try await bench.json(path + "/registry", headers: turkish)["regions"]?.array?.first
        #expect(region?["verdict"]?.string == "unwanted")
        #expect(region?["cause"]?.string == "bu tanımlayıcıya sahip bir coğrafi sınır artık yok")
    }

    @Test("The live stream sends sentences in the language of the recipient", arguments: Language.allCases)
    func streamed(_ language: Language) async throws {
        try await bench.add("f1", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        let received = try await bench.notices(in: language) { [bench] in
            _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        } until: {
            $0.kind == "repair"
        }
        let words = try #require(
            [
                "en": ["it should be registered, but is not", "Healthy"],
                "de": ["sollte registriert sein, ist es aber nicht", "In Ordnung"],
                "tr": ["kayıtlı olmalı, ama değil", "Sağlıklı"],
            ][language.rawValue])
        let step = received.first { $0.kind == "repairStep" }?.json
        #expect(step?["operation"]?.string == "start")
        #expect(step?["reason"]?.string == words[0])
        #expect(received.last?.json["statusSummary"]?.string == words[1])
    }

    @Test("A device that is not managed says so, and is not repaired")
    func notManaged() async throws {
        try await bench.ask("PUT", "/v1/devices/tracker", body: "{}")
        #expect(try await bench.json("/v1/devices/tracker/health")["statusSummary"]?.string == "Not managed")
        #expect(try await bench.ask("POST", "/v1/devices/tracker/fix-registration", body: "").status == 422)
        #expect(try await bench.ask("POST", "/v1/devices/nobody/fix-registration", body: "").status == 404)
        #expect(try await bench.ask("GET", "/v1/devices/nobody/repairs").status == 404)
        #expect(try await bench.ask("GET", "/v1/devices/tracker/repairs?after=x").status == 422)
    }

    @Test("The reason of a registration is given on request")
    func explain() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        let health = try await bench.json("/v1/devices/phone/health?explain=true")
        #expect(health.column("standings", "geofenceId") == ["home"] && health.column("standings", "name") == ["home"])
        #expect(health["standings"]?.array?.first?["isRegistered"]?.bool == false)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        let repaired = try await bench.json("/v1/devices/phone/health?explain=true")
        #expect(repaired["standings"]?.array?.first?["isRegistered"]?.bool == true)
        #expect(try await bench.json("/v1/devices/phone/health")["standings"] == nil)
    }

    @Test("The live stream reports each operation of a repair, and its end")
    func progress() async throws {
        for number in 1...3 { try await bench.add("f\(number)", 52.5, 13.4) }
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        let received = try await bench.notices { [bench] in
            _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        } until: {
            $0.kind == "repair"
        }
        let steps = received.filter { $0.kind == "repairStep" }
        let report = try #require(try await bench.json("/v1/devices/phone/repairs")["repairs"]?.array?.first)
        #expect(steps.compactMap { $0.json["number"]?.double } == [1, 2, 3, 4, 5, 6])
        for name in ["operation", "identifier", "name", "reason", "outcome"] {
            #expect(steps.compactMap { $0.json[name]?.string } == report.column("operations", name))
        }
        #expect(steps.allSatisfy { $0.json["deviceId"] == "phone" })
    }

    // MARK: - Your own app

    private func report(_ regions: String, _ more: String = "") async throws -> TestAnswer {
        try await bench.ask(
            "PUT", "/v1/devices/app/registry", body: "{\"authorizationStatus\":\"always\",\"regions\":[\(regions)]\(more)}")
    }

    private func region(_ id: String, radius: Double = 200) -> String {
        "{\"identifier\":\"\(id)\",\"latitude\":52.5,\"longitude\":13.4,\"radius\":\(radius)}"
    }

    @Test("An app reports its regions, carries out the operations, and is healthy")
    func app() async throws {
        try await bench.add("home", 52.5, 13.4, radius: 200)
        try await bench.add("work", 52.5, 13.4, radius: 200)
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        #expect(try await bench.json("/v1/devices/app/health")["statusSummary"]?.string == "Unknown")

        let first = try await report(
            [region("picket/home", radius: 300), region("picket/old"), region("other/sdk")].joined(separator: ",")
        )
        .json()
        #expect(first["health"]?["isHealthy"]?.bool == false)
        #expect(first["health"]?.column("findings", "finding") == ["missing", "orphaned", "drifted", "foreign"])
        // Picket's regions after the operations were performed.
        var regions = ["picket/home": 300.0, "picket/old": 200, "other/sdk": 200]
        for operation in first["operations"]?.array ?? [] {
            let id = try #require(operation["identifier"]?.string)
            switch operation["operation"]?.string {
            case "start": regions[id] = operation["region"]?["radius"]?.double
            case "stop": regions[id] = nil
            default: Issue.record("\(operation)")
            }
        }
        #expect(regions == ["picket/home": 200, "picket/work": 200, "other/sdk": 200])
        let second = try await report(regions.map { region($0.key, radius: $0.value) }.joined(separator: ",")).json()
        #expect(second["health"]?["isHealthy"]?.bool == true)
        #expect(second["operations"]?.array?.isEmpty == true)
        #expect(try await bench.json("/v1/devices/app/health")["isHealthy"]?.bool == true)
        #expect(try await bench.json("/v1/health?totals=true")["totals"]?["healthy"]?.double == 1)
    }

    @Test("An app with a lower limit is never asked to hold more regions")
    func limit() async throws {
        for number in 1...5 { try await bench.add("f\(number)", 52.5, 13.4, radius: 200) }
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        try await bench.move("app", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        let answer = try await report("", #","limit":3"#).json()
        #expect(answer["operations"]?.array?.count == 3)
        #expect(answer.column("operations", "identifier").contains("picket/#sentinel"))
        #expect(try await report("").json()["operations"]?.array?.count == 5)
    }

    @Test("An app that claims a higher limit than its platform's is asked to hold no more regions than that")
    func claimedLimit() async throws {
        for number in 1...25 { try await bench.add("f\(number)", 52.5, 13.4, radius: 200) }
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        try await bench.move("app", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
        #expect(try await report("", #","limit":10000"#).json()["operations"]?.array?.count == 20)
    }

    @Test("What keeps an app from monitoring is reported first")
    func blocked() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"android","registry":"app"}"#)
        let answer = try await bench.ask(
            "PUT", "/v1/devices/app/registry",
            body: #"{"authorizationStatus":"whenInUse","locationServicesEnabled":true,"regions":[]}"#
        ).json()
        #expect(answer["health"]?["statusSummary"]?.string == "Needs 'Always' authorization")
        let off = try await bench.ask(
            "PUT", "/v1/devices/app/registry",
            body: #"{"authorizationStatus":"always","locationServicesEnabled":false,"regions":[]}"#
        ).json()
        #expect(off["health"]?["statusSummary"]?.string == "Location services disabled")
    }

    @Test(
        "An invalid report is refused with the name of the field",
        arguments: [
            (#"{"regions":[]}"#, "authorizationStatus"),
            (#"{"authorizationStatus":"sometimes","regions":[]}"#, "authorizationStatus"),
            (#"{"authorizationStatus":"always"}"#, "regions"),
            (#"{"authorizationStatus":"always","regions":[{"identifier":"x"}]}"#, "regions[0]"),
            (
                #"{"authorizationStatus":"always","regions":[{"identifier":"x","latitude":99,"longitude":1,"radius":1}]}"#,
                "regions[0]"
            ),
            (#"{"authorizationStatus":"always","regions":[],"limit":0}"#, "limit"),
            (#"{"authorizationStatus":"always","regions":[],"failures":[{}]}"#, "failures[0]"),
            (#"{"authorizationStatus":"always","regions":[],"limits":3}"#, "limits"),
        ])
    func refused(body: String, field: String) async throws {
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        let answer = try await bench.ask("PUT", "/v1/devices/app/registry", body: body)
        #expect(answer.status == 422)
        #expect(answer.text.contains(field), "\(answer.text)")
        #expect(try await bench.json("/v1/devices/app/health")["statusSummary"]?.string == "Unknown")
    }

}

@Suite("Age of an app's report")
struct AppRegionListAgeTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Reports no regions. The service's clock shows noon on 20 November 2026.
    @discardableResult
    private func report(_ more: String = "") async throws -> TestAnswer {
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        return try await bench.ask(
            "PUT", "/v1/devices/app/registry", body: #"{"authorizationStatus":"always","regions":[]"# + more + "}")
    }

    @Test("Health names the time of the report, and is unknown after a day")
    func ages() async throws {
        try await report()
        var health = try await bench.json("/v1/devices/app/health")
        #expect(health["reportedAt"]?.string == "2026-11-20T12:00:00.000Z")
        #expect(health["isHealthy"]?.bool == true && health["isStale"]?.bool == false)
        bench.clock.set(Instant("2026-11-21T12:00:00Z")!)
        #expect(try await bench.json("/v1/devices/app/health")["isHealthy"]?.bool == true)
        bench.clock.set(Instant("2026-11-21T12:00:01Z")!)
        health = try await bench.json("/v1/devices/app/health")
        #expect(health["isHealthy"] == .null && health["isStale"]?.bool == true)
        #expect(health["statusSummary"]?.string == "Unknown, last reported 2026-11-20T12:00:00.000Z")
        #expect(health["reportedAt"]?.string == "2026-11-20T12:00:00.000Z")
    }

    @Test("Devices with a stale report are counted separately")
    func totals() async throws {
        try await report()
        try await bench.ask("PUT", "/v1/devices/silent", body: #"{"platform":"ios","registry":"app"}"#)
        bench.clock.set(Instant("2026-11-22T12:00:00Z")!)
        let totals = try await bench.json("/v1/health?totals=true")["totals"]
        #expect(totals?["stale"]?.double == 1 && totals?["unknown"]?.double == 1, "\(String(describing: totals))")
    }

    @Test("A report can name its own time, and an older one changes nothing")
    func ownTime() async throws {
        try await report(#","reportedAt":"2026-11-20T11:00:00Z""#)
        #expect(try await bench.json("/v1/devices/app/health")["reportedAt"]?.string == "2026-11-20T11:00:00.000Z")
        try await report(#","reportedAt":"2026-11-20T10:00:00Z","locationServicesEnabled":false"#)
        let health = try await bench.json("/v1/devices/app/health")
        #expect(health["reportedAt"]?.string == "2026-11-20T11:00:00.000Z" && health["isHealthy"]?.bool == true)
    }

    @Test("An invalid time is refused with the name of the field", arguments: ["soon", "2026-11-20T12:10:01Z"])
    func refused(time: String) async throws {
        let answer = try await report(#","reportedAt":"\#(time)""#)
        #expect(answer.status == 422 && answer.text.contains("reportedAt"), "\(answer.text)")
    }
}
