import Model
import TestSupport
import Testing

@testable import Server

@Suite("Simulated phone over HTTP")
struct SimulationRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Creates a phone that monitors three geofences.
    private func makePhone(_ platform: String = "ios") async throws {
        for id in ["home", "school", "work"] { try await bench.add(id, 52.5, 13.4, radius: 200) }
        try await bench.ask("PUT", "/v1/devices/phone", body: "{\"platform\":\"\(platform)\"}")
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
    }

    private func simulate(_ body: String, _ device: String = "phone") async throws -> TestAnswer {
        try await bench.ask("POST", "/v1/devices/\(device)/registry:simulate", body: body)
    }

    private func health() async throws -> JSONValue { try await bench.json("/v1/devices/phone/health") }

    @Test("A phone loses one region, several or named ones, and is repaired")
    func drop() async throws {
        try await makePhone()
        let named = try await simulate(#"{"action":"drop","identifiers":["home","picket/work"]}"#)
        #expect(try named.status == 200 && named.json().column("regions", "identifier") == ["picket/school"])
        #expect(try await health()["missingFromOS"]?.array?.count == 2)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await simulate(#"{"action":"drop"}"#).json()["regions"]?.array?.count == 2)
        let rest = try await simulate(#"{"action":"drop","count":2}"#)
        let registry = try await bench.json("/v1/devices/phone/registry")
        #expect(try rest.json() == registry)
        #expect(try rest.json()["regions"]?.array?.isEmpty == true)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await health()["isHealthy"]?.bool == true)
    }

    @Test("A phone gets an orphan, and a region of another SDK that a repair never touches")
    func add() async throws {
        try await makePhone()
        let circle = #""latitude":52.5,"longitude":13.4,"radius":300"#
        _ = try await simulate(#"{"action":"addOrphan","identifier":"old-home",\#(circle)}"#)
        let regions = try await simulate(#"{"action":"addForeign","identifier":"com.ads/42",\#(circle)}"#).json()
        #expect(regions.column("regions", "verdict") == ["right", "unwanted", "right", "right", "foreign"])
        #expect(try await health()["orphanedInOS"]?.array == ["old-home"])
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await bench.json("/v1/devices/phone/registry").column("regions", "identifier").contains("com.ads/42"))
        #expect(try await health()["isHealthy"]?.bool == true)
    }

    @Test("A phone with another profile holds nothing, and is repaired by its rules")
    func profile() async throws {
        try await makePhone()
        let changed = try await simulate(#"{"action":"profile","profile":"custom","limit":2,"largestRadius":500}"#)
        #expect(try changed.status == 200 && changed.json()["limit"]?.double == 2, "\(changed.text)")
        #expect(try changed.json()["regions"]?.array?.isEmpty == true)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await bench.json("/v1/devices/phone/registry")["regions"]?.array?.count == 2)
        let newer = try await simulate(#"{"action":"profile","profile":"clmonitor"}"#)
        #expect(try newer.status == 200 && newer.json()["limit"]?.double == 20)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await health()["isHealthy"]?.bool == true)
        let refused = [
            #"{"action":"profile"}"#, #"{"action":"profile","profile":"custom"}"#,
            #"{"action":"fail","fault":"deafen","identifier":"home"}"#,
        ]
        for body in refused { #expect(try await simulate(body).status == 422, "\(body)") }
    }

    @Test("A phone restarts, is reinstalled, and loses permission and location services")
    func life() async throws {
        try await makePhone("android")
        #expect(try await simulate(#"{"action":"reboot"}"#).status == 200)
        #expect(try await health()["missingFromOS"]?.array?.count == 3)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await simulate(#"{"action":"reinstall"}"#).status == 200)
        #expect(try await health()["missingFromOS"]?.array?.count == 3)
        let denied = try await simulate(#"{"action":"authorize","status":"whenInUse"}"#).json()
        #expect(denied["authorizationStatus"] == "whenInUse")
        #expect(try await health()["statusSummary"]?.string == "Needs 'Always' authorization")
        #expect(try await simulate(#"{"action":"location","enabled":false}"#).json()["locationServicesEnabled"]?.bool == false)
        #expect(try await health()["statusSummary"]?.string == "Location services disabled")
        // The problem is open as soon as it is known.
        #expect(try await bench.json("/v1/problems").column("problems", "source") == ["registry/phone"])
        _ = try await simulate(#"{"action":"authorize","status":"always"}"#)
        _ = try await simulate(#"{"action":"location","enabled":true}"#)
        _ = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "")
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.isEmpty == true)
    }

    @Test("A phone has settings, and faults that happen at once or with the next call")
    func faults() async throws {
        try await makePhone()
        #expect(
            try await simulate(#"{"action":"set","setting":"precise","value":"off"}"#).json()["preciseLocation"]?.bool == false)
        _ = try await simulate(#"{"action":"set","setting":"precise","value":"on"}"#)
        _ = try await simulate(#"{"action":"fail","fault":"drift","identifier":"home","metres":500}"#)
        let deaf = try await simulate(#"{"action":"fail","fault":"deafen","identifier":"work"}"#).json()
        #expect(deaf.column("regions", "verdict") == ["wrong", "right", "wrong"])
        _ = try await simulate(#"{"action":"fail","fault":"refuse","code":"6"}"#)
        let report = try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "").json()
        #expect(report["before"]?.column("findings", "finding") == ["drifted", "deaf"])
        #expect(report["after"]?["isHealthy"]?.bool == true && report.column("operations", "outcome").contains("failed"))
        // The fault already affects the answer to this request, which reads the phone.
        let silent = try await simulate(#"{"action":"fail","fault":"noAnswer"}"#)
        #expect(try silent.json()["code"] == "registryUnavailable")
        #expect(try await health()["isHealthy"]?.bool == true)
    }

    @Test("Watchers are notified that the phone's health has changed")
    func notice() async throws {
        try await makePhone()
        let received = try await bench.notices { [bench] in
            _ = try await bench.ask("POST", "/v1/devices/phone/registry:simulate", body: #"{"action":"drop"}"#)
        } until: {
            $0.kind == "health"
        }
        #expect(received.last?.json["deviceId"] == "phone" && received.last?.json["isHealthy"]?.bool == false)
    }

    @Test(
        "An invalid action is refused with the name of the field, and changes nothing",
        arguments: [
            ("{}", "action"), (#"{"action":"melt"}"#, "action"),
            (#"{"action":"drop","count":1,"identifiers":["home"]}"#, "count"),
            (#"{"action":"drop","count":-1}"#, "count"), (#"{"action":"drop","identifiers":["home","hom"]}"#, "identifier"),
            (#"{"action":"addOrphan","latitude":1,"longitude":1,"radius":100}"#, "identifier"),
            (#"{"action":"addForeign","identifier":"picket/x","latitude":1,"longitude":1,"radius":100}"#, "identifier"),
            (#"{"action":"addOrphan","identifier":"x","latitude":1,"longitude":1}"#, "radius"),
            (#"{"action":"addOrphan","identifier":"x","latitude":91,"longitude":1,"radius":100}"#, "region"),
            (#"{"action":"authorize"}"#, "status"), (#"{"action":"authorize","status":"sometimes"}"#, "status"),
            (#"{"action":"location"}"#, "enabled"), (#"{"action":"reboot","count":1}"#, "count"),
            (#"{"action":"set","setting":"battery","value":"on"}"#, "battery"),
            (#"{"action":"set","setting":"x","value":"on"}"#, "setting"),
            (#"{"action":"set","setting":"precise"}"#, "precise"), (#"{"action":"fail"}"#, "fault"),
            (#"{"action":"fail","fault":"drift","identifier":"home"}"#, "metres"),
            (#"{"action":"fail","fault":"zombify","identifier":"hom"}"#, "identifier"),
            (#"{"action":"fail","fault":"refuse","code":"1001"}"#, "code"),
            (#"{"action":"fail","fault":"delayReport","seconds":-1}"#, "seconds"),
        ])
    func refused(body: String, field: String) async throws {
        try await makePhone()
        let before = try await bench.json("/v1/devices/phone/registry")
        let answer = try await simulate(body)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(try answer.json()["parameters"]?["field"]?.string == field, "\(answer.text)")
        #expect(try await bench.json("/v1/devices/phone/registry") == before)
    }

    @Test("A device that is not simulated is refused, and so is a reader")
    func others() async throws {
        try await bench.ask("PUT", "/v1/devices/tracker", body: "{}")
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        for (device, words) in [("tracker", "not managed"), ("app", "not simulated")] {
            let answer = try await simulate(#"{"action":"reboot"}"#, device)
            #expect(answer.status == 422 && answer.text.contains(words), "\(answer.text)")
        }
        #expect(try await simulate(#"{"action":"reboot"}"#, "nobody").status == 404)
    }
}
