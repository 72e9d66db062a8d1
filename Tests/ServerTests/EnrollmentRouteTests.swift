import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Enrollment over HTTP")
struct EnrollmentRouteTests {
    private static func shown(_ secret: String?) -> [String: String] {
        secret.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }

    /// A bench with a token of the role admin, so that all requests need a token.
    private static func closed(_ flags: [String: String] = [:]) async throws -> (ServerBench, admin: [String: String]) {
        let bench = try ServerBench(flags: flags)
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#)
        return (bench, shown(try made.json()["secret"]?.string))
    }

    private static func enroll(
        _ bench: ServerBench, _ id: String, by headers: [String: String], _ body: String = "{}"
    ) async throws -> JSONValue {
        let answer = try await bench.ask("POST", "/v1/devices/\(PercentEncoding.escape(id)):enroll", body: body, headers: headers)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["Cache-Control"] == "no-store")
        return try answer.json()
    }

    /// The text of a QR code, read by an independent decoder if one is installed, else taken from the answer.
    private static func scan(_ app: JSONValue?) throws -> String {
        let rows = (app?["qr"]?["rows"]?.array ?? []).compactMap(\.string)
        #expect(rows.count == app?["qr"]?["size"]?.double.map { Int($0) } && rows.allSatisfy { $0.count == rows.count })
        let link = try #require(app?["link"]?.string)
        if QRReader.isInstalled { #expect(try QRReader.decode(rows) == link) }
        return link
    }

    /// The value of a link's parameter as Android decodes it: a plus sign is a space, and `%XX` is unescaped.
    private static func parameter(_ name: String, of link: String) throws -> String {
        let query = try #require(link.split(separator: "?", maxSplits: 1).last)
        let pair = try #require(query.split(separator: "&").first { $0.hasPrefix("\(name)=") })
        return try #require(pair.dropFirst(name.count + 1).replacing("+", with: " ").removingPercentEncoding)
    }

    @Test(
        "The QR code sets up OwnTracks so that its report is accepted",
        arguments: ["anna-phone", "jane/phone", "Çağrı’nın telefonu", "a/b/c", "with:colon"])
    func ownTracks(id: String) async throws {
        let (bench, admin) = try await Self.closed()
        let json = try await Self.enroll(bench, id, by: admin, #"{"name":"Anna’s phone","platform":"ios"}"#)
        #expect(json["isNew"]?.bool == true && json["administrator"] == nil)
        #expect(json["device"]?["name"]?.string == "Anna’s phone")
        #expect(json["device"]?["registry"]?.string == "none", "a real phone is no simulated one")
        #expect(json["token"]?["device"]?.string == id && json["token"]?["role"]?.string == "ingest")

        let link = try Self.scan(json["ownTracks"])
        #expect(link.hasPrefix("owntracks:///config?inline="))
        let data = try #require(Data(base64Encoded: try Self.parameter("inline", of: link)))
        let settings = try JSONParser.parse(String(decoding: data, as: UTF8.self))
        #expect(settings["_type"]?.string == "configuration" && settings["mode"]?.double == 3 && settings["auth"]?.bool == true)
        let user = try #require(settings["username"]?.string)
        let device = try #require(settings["deviceId"]?.string)
        #expect("\(user)/\(device)" == json["ownTracks"]?["reportsAs"]?.string)
        // The names are used in headers, and the user in Basic credentials.
        #expect((user + device).utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !user.contains(":"))
        if id == "jane/phone" { #expect(user == "jane" && device == "phone") }

        let url = try #require(settings["url"]?.string)
        #expect(url == bench.server.url + "/owntracks")
        let password = try #require(settings["password"]?.string)
        let basic = Data("\(user):\(password)".utf8).base64EncodedString()
        let report = #"{"_type":"location","lat":52.5,"lon":13.4,"acc":12,"tst":1795176000}"#
        let answer = try await bench.ask(
            "POST", "/owntracks", body: report,
            headers: ["Authorization": "Basic \(basic)", "X-Limit-U": user, "X-Limit-D": device])
        #expect(answer.status == 200 && answer.text == "[]")
        let there = try await bench.json("/v1/devices/\(PercentEncoding.escape(id))", headers: admin)
        #expect(there["lastFix"]?["accuracy"]?.double == 12)
        #expect(try await bench.json("/v1/devices", headers: admin).column("devices", "id") == [id], "no other device was made")
    }

    @Test("The QR code sets up Traccar Client so that its report is accepted", arguments: ["van-7", "Van 7 & co"])
    func traccar(id: String) async throws {
        let (bench, admin) = try await Self.closed()
        let json = try await Self.enroll(bench, id, by: admin)
        let link = try Self.scan(json["traccar"])
        #expect(link.hasPrefix("org.traccar.client://config?"))
        let url = try Self.parameter("url", of: link)
        #expect(url == json["traccar"]?["serverUrl"]?.string && url.hasPrefix(bench.server.url + "/osmand?token=picket_"))
        let device = try Self.parameter("id", of: link)
        #expect(device == id)
        let target = String(url.dropFirst(bench.server.url.count))
        let form = "id=\(PercentEncoding.escape(device))&lat=52.5&lon=13.4&accuracy=12&timestamp=1795176000"
        let answer = try await bench.ask("POST", target, body: form, type: "application/x-www-form-urlencoded")
        #expect(answer.status == 200)
        let there = try await bench.json("/v1/devices/\(PercentEncoding.escape(id))", headers: admin)
        #expect(there["lastFix"]?["accuracy"]?.double == 12)
    }

    @Test("The command for curl reports a position when it is pasted into a shell")
    func curl() async throws {
        let (bench, admin) = try await Self.closed()
        try bench.takeConnections()
        let command = try #require(try await Self.enroll(bench, "it's me", by: admin)["curl"]?["command"]?.string)
        let status = try await BlockingCall.run {
            let process = try TestProcess("/bin/sh", ["-c", "curl -sf -o /dev/null " + command.dropFirst(5)])
            return process.terminationStatus
        }
        #expect(status == 0)
        #expect(try await bench.json("/v1/devices", headers: admin)["devices"]?.array?.first?["lastFix"] != nil)
    }

    @Test("The new token is for this device alone, and earlier tokens are named")
    func again() async throws {
        let (bench, admin) = try await Self.closed()
        let first = try await Self.enroll(bench, "anna", by: admin, #"{"name":"Anna"}"#)
        #expect(first["otherTokens"]?.array?.isEmpty == true && first["lastFixAt"] == nil)
        let secret = try #require(first["token"]?["secret"]?.string)
        let position = #"{"device":"anna","timestamp":"2026-11-20T11:00:00Z","latitude":52.5,"longitude":13.4}"#
        #expect(try await bench.ask("POST", "/v1/positions", body: position, headers: Self.shown(secret)).status == 200)
        let other = position.replacing("anna", with: "ben")
        #expect(try await bench.ask("POST", "/v1/positions", body: other, headers: Self.shown(secret)).status == 403)
        #expect(try await bench.ask("GET", "/v1/devices", headers: Self.shown(secret)).status == 403)

        let second = try await Self.enroll(bench, "anna", by: admin)
        #expect(second["isNew"]?.bool == false && second["device"]?["name"]?.string == "Anna")
        #expect(second["lastFixAt"]?.string == "2026-11-20T11:00:00.000Z")
        #expect(second.column("otherTokens", "id") == [first["token"]?["id"]?.string])
        #expect(!second.description.contains(secret))
    }

    @Test("The first enrollment gives an admin token, since it closes the service")
    func first() async throws {
        let bench = try ServerBench()
        let json = try await Self.enroll(bench, "anna", by: [:])
        let admin = Self.shown(try #require(json["administrator"]?["secret"]?.string))
        #expect(try await bench.ask("GET", "/v1/devices").status == 401)
        #expect(try await bench.ask("GET", "/v1/tokens", headers: admin).status == 200)
        #expect(try await Self.enroll(bench, "ben", by: admin)["administrator"] == nil)
    }

    @Test("Enrollment needs the role admin and a valid name and ID")
    func refused() async throws {
        let (bench, admin) = try await Self.closed()
        let made = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"r","role":"reader"}"#, headers: admin)
        let reader = Self.shown(try made.json()["secret"]?.string)
        #expect(try await bench.ask("POST", "/v1/devices/x:enroll", body: "{}", headers: reader).status == 403)
        #expect(try await bench.ask("GET", "/v1/waiting-devices", headers: reader).status == 403)
        for (id, body) in [
            ("x", #"{"name":""}"#), ("x", #"{"platform":"symbian"}"#), ("x", #"{"app":"y"}"#), ("x", #"{"name":"a\u0007"}"#),
            ("%01", "{}"),
        ] {
            #expect(
                try await bench.ask("POST", "/v1/devices/\(id):enroll", body: body, headers: admin).status == 422, "\(id) \(body)"
            )
        }
        // The address does not fit into a QR code. No token may be left that was never shown.
        let long = String(repeating: "%F0%9F%87%A9%F0%9F%87%AA", count: 128)
        #expect(try await bench.ask("POST", "/v1/devices/\(long):enroll", body: "{}", headers: admin).status == 413)
        #expect(try await bench.json("/v1/devices", headers: admin)["devices"]?.array?.isEmpty == true)
        #expect(try await bench.json("/v1/tokens", headers: admin)["tokens"]?.array?.count == 2)
    }
}
