import Foundation
import Model
import Places
import TestSupport
import Testing

@testable import Core
@testable import Server

@Suite("Waiting devices")
struct WaitingDeviceTests {
    private let bench: ServerBench
    private let admin: [String: String]

    init() async throws {
        bench = try ServerBench { data, clock in
            try ServiceWriter(data, purpose: "test", clock: clock).refuseDevice("refused")
        }
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#)
        admin = ["Authorization": "Bearer \(try made.json()["secret"]?.string ?? "")"]
    }

    private func waiting() async throws -> [JSONValue] {
        try await bench.json("/v1/waiting-devices", headers: admin)["waiting"]?.array ?? []
    }

    private typealias Report = (
        device: String, way: String, target: String, body: String?, type: String, headers: [String: String]
    )

    private static let reports: [Report] = [
        ("van 1", "osmand", "GET /osmand?id=van+1&lat=52.5&lon=13.4", nil, "", [:]),
        ("van-2", "osmand", "POST /?deviceid=van-2&lat=52.5&lon=13.4&token=picket_wrong", nil, "", [:]),
        ("van-3", "osmand", "POST /osmand", "id=van-3&lat=52.5&lon=13.4", "application/x-www-form-urlencoded", [:]),
        (
            "van-4", "osmand", "POST /osmand", #"{"device_id":"van-4","location":{"coords":{"latitude":52.5,"longitude":13.4}}}"#,
            "application/json", [:]
        ), ("van-5", "osmand", "POST /", #"[{"id":"van-5","lat":152.5,"lon":13.4}]"#, "application/json", [:]),
        ("van-6", "osmand", "GET /osmand?id=van-6", nil, "", [:]),
        (
            "jane/phone", "owntracks", "POST /owntracks", #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1e9}"#,
            "application/json", ["X-Limit-U": "jane", "X-Limit-D": "phone"]
        ), ("jane/tablet", "owntracks", "POST /pub?u=jane&d=tablet", "{}", "application/json", [:]),
        (
            "jane/watch", "owntracks", "POST /owntracks",
            #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1e9,"topic":"owntracks/jane/watch"}"#, "application/json", [:]
        ),
        (
            "bob", "owntracks", "POST /owntracks", #"{"_type":"lwt","tst":1e9}"#, "application/json",
            ["Authorization": "Basic \(Data("bob:wrong".utf8).base64EncodedString())"]
        ), ("file", "positions", "POST /v1/positions?device=file", "<gpx></gpx>", "application/gpx+xml", [:]),
        (
            "van-7", "positions", "POST /v1/positions",
            #"{"device":"van-7","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4}"#, "application/json",
            ["Authorization": "Bearer picket_wrong"]
        ),
        (
            "van-8", "positions", "POST /v1/positions", "device,time,lat,lon\nvan-8,2026-05-01T10:00:00Z,52.5,13.4\n", "text/csv",
            [:]
        ),
    ]

    @Test("A refused report is noted with its kind and origin, without its position, and the answer stays 401")
    func noted() async throws {
        let nameless = try await bench.ask("POST", "/owntracks", body: "")
        #expect(nameless.status == 401)
        for (number, report) in Self.reports.enumerated() {
            let parts = report.target.split(separator: " ").map(String.init)
            bench.clock.set(Instant("2026-11-20T12:00:00Z")! + Double(number))
            let answer = try await bench.ask(parts[0], parts[1], body: report.body, type: report.type, headers: report.headers)
            #expect(answer.status == 401, "\(report.target)")
            #expect(answer["WWW-Authenticate"] == nameless["WWW-Authenticate"])
            #expect(answer["Content-Type"] == nameless["Content-Type"])
            let entry = try #require(try await waiting().first, "\(report.target)")
            #expect(entry["deviceId"]?.string == report.device && entry["isKnown"]?.bool == false, "\(report.target)")
            #expect(entry["protocols"] == [.string(report.way)], "\(report.target)")
            #expect(entry["address"]?.string == "127.0.0.1" && entry["count"]?.double == 1)
            let showsToken = report.headers["Authorization"] != nil || report.target.contains("token=")
            #expect(entry["hasToken"]?.bool == showsToken, "\(report.target)")
            #expect(!entry.description.contains("52.5") && !entry.description.contains("13.4"))
        }
        #expect(try await waiting().count == Self.reports.count)
        _ = try await bench.ask("POST", "/v1/positions?device=van+1", body: "")
        let again = try #require(try await waiting().first)
        #expect(again["count"]?.double == 2 && again["protocols"] == ["osmand", "positions"])
        #expect(again["firstAt"]?.string == "2026-11-20T12:00:00.000Z")
        // No device was created.
        #expect(try await bench.json("/v1/devices", headers: admin)["devices"]?.array?.isEmpty == true)
    }

    @Test("A report with a long body or an invalid name is not noted")
    func notNoted() async throws {
        let long = "id=van-1&lat=52.5&lon=13.4&x=" + String(repeating: "x", count: RefusedReport.maximumBody)
        #expect(try await bench.ask("POST", "/osmand", body: long, type: "application/x-www-form-urlencoded").status == 401)
        #expect(try await bench.ask("GET", "/osmand?id=a%01b&lat=1&lon=2").status == 401)
        #expect(try await bench.ask("GET", "/osmand?lat=1&lon=2").status == 401)
        #expect(try await bench.ask("GET", "/v1/devices/x").status == 401)
        #expect(try await bench.ask("GET", "/osmand?id=refused&lat=1&lon=2").status == 401)
        #expect(try await waiting().isEmpty)
    }

    @Test("Enrollment removes a device from the list, and a wrong token brings it back")
    func enrolled() async throws {
        func report(_ token: String) async throws -> Int {
            try await bench.ask("GET", "/osmand?id=van-1&lat=1&lon=2&token=\(token)").status
        }
        #expect(try await report("picket_x") == 401)
        let json = try await bench.ask("POST", "/v1/devices/van-1:enroll", body: "{}", headers: admin).json()
        #expect(try await waiting().isEmpty)
        #expect(try await report(json["token"]?["secret"]?.string ?? "") == 200)
        #expect(try await waiting().isEmpty)
        #expect(try await report("picket_x") == 401)
        #expect(try await waiting().first?["isKnown"]?.bool == true)
    }

    @Test("A refused device is hidden until it is admitted again or enrolled")
    func refused() async throws {
        func post(_ path: String) async throws -> Int { try await bench.ask("POST", path, body: "{}", headers: admin).status }
        func report() async throws { #expect(try await bench.ask("GET", "/osmand?id=jane/phone&lat=1&lon=2").status == 401) }
        try await report()
        #expect(try await post("/v1/waiting-devices/jane%2Fphone:refuse") == 204)
        try await report()
        #expect(try await waiting().isEmpty)
        let list = try await bench.json("/v1/waiting-devices", headers: admin)
        #expect(Set(list.column("refused", "deviceId")) == ["jane/phone", "refused"])
        #expect(try await post("/v1/waiting-devices/jane%2Fphone:readmit") == 204)
        try await report()
        #expect(try await waiting().count == 1)
        #expect(try await post("/v1/devices/refused:enroll") == 200)
        #expect(try await bench.json("/v1/waiting-devices", headers: admin).column("refused", "deviceId").isEmpty)
    }

    @Test("The list is limited to the devices seen last, which are announced together")
    func bounds() {
        let waiting = WaitingDevices(refused: ["no"])
        #expect(waiting.takeNotice() == nil)
        let start = Instant("2026-11-20T12:00:00Z")!
        for number in 0..<300 {
            waiting.recordReport(of: ["d\(number)"], by: .osmAnd, from: "192.0.2.1", hasToken: false, at: start + Double(number))
        }
        #expect(waiting.all.map(\.deviceId) == (100..<300).reversed().map { "d\($0)" })
        #expect(waiting.takeNotice()?.json["waiting"]?.double == 200)
        #expect(waiting.takeNotice() == nil)
        waiting.recordReport(of: ["d299", "no"], by: .osmAnd, from: "192.0.2.1", hasToken: false, at: start + 300)
        #expect(waiting.takeNotice() == nil, "nobody new")
        let many = (0..<100).map { "m\($0)" }
        waiting.recordReport(of: many, by: .positions, from: "192.0.2.1", hasToken: false, at: start + 400)
        #expect(waiting.all.count { $0.deviceId.hasPrefix("m") } == WaitingDevices.maximumDevicesPerRequest)
    }
}
