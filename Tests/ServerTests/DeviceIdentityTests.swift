import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Identities of reporting devices")
struct DeviceIdentityTests {
    private static func location(_ more: String = "") -> String {
        #"{"_type":"location","tid":"na","tst":1777629600,"lat":52.53,"lon":13.3777,"acc":9\#(more)}"#
    }

    private static let form = "application/x-www-form-urlencoded"

    private static func devices(_ bench: ServerBench) async throws -> [String] {
        try await bench.json("/v1/devices").column("devices", "id").sorted()
    }

    // MARK: OwnTracks

    @Test("OwnTracks with one name only is a device of this name, and phones with the same tracker ID stay apart")
    func oneName() async throws {
        let bench = try ServerBench()
        let basic = Data("jörg:x".utf8).base64EncodedString()
        let latin = Data([0x4A, 0xF6, 0x3A, 0x78]).base64EncodedString()
        let requests: [(target: String, headers: [String: String], body: String)] = [
            ("/owntracks", ["X-Limit-D": "997"], Self.location()),
            ("/pub", ["X-Limit-D": "996", "X-Limit-U": ""], Self.location()),
            ("/owntracks", ["X-Limit-U": "solo"], Self.location()), ("/owntracks?u=jane", [:], Self.location()),
            ("/pub?d=tablet", [:], Self.location()), ("/owntracks", ["Authorization": "Basic \(basic)"], Self.location()),
            ("/owntracks", ["Authorization": "Basic \(latin)"], Self.location()),
            ("/owntracks", [:], Self.location(#","topic":"owntracks/bob""#)),
            ("/owntracks", ["X-Limit-U": "u", "X-Limit-D": "d"], Self.location(#","topic":"owntracks/bob""#)),
        ]
        for request in requests {
            let answer = try await bench.ask("POST", request.target, body: request.body, headers: request.headers)
            #expect(answer.status == 200 && answer.text == "[]")
        }
        #expect(try await Self.devices(bench) == ["996", "997", "Jö", "bob", "jane", "jörg", "solo", "tablet", "u/d"])
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.isEmpty == true)
    }

    @Test("A tracker ID alone names no device: the report is refused, and a problem shows it", arguments: ["location", "lwt"])
    func trackerAlone(type: String) async throws {
        let bench = try ServerBench()
        let body = Self.location().replacing("location", with: type)
        #expect(try await bench.ask("POST", "/owntracks", body: body).status == 200)
        #expect(try await Self.devices(bench).isEmpty)
        let problems = try await bench.json("/v1/problems")
        #expect(problems.column("problems", "source") == ["intake"])
        #expect(problems.description.contains("it does not name its device"))
        // A token for one device says it.
        let admin = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()
        let secret = ["Authorization": "Bearer \(admin["secret"]?.string ?? "")"]
        let own = try await bench.ask(
            "POST", "/v1/tokens", body: #"{"name":"t","role":"ingest","device":"mia"}"#, headers: secret
        ).json()
        let report = try await bench.ask(
            "POST", "/owntracks", body: body, headers: ["Authorization": "Bearer \(own["secret"]?.string ?? "")"])
        #expect(report.status == 200)
        if type == "location" {
            #expect(try await bench.json("/v1/devices", headers: secret).column("devices", "id") == ["mia"])
        }
    }

    // MARK: Names that are not UTF-8

    @Test("A header that is not UTF-8 is ISO-8859-1, so that Jörg and Järg stay two people")
    func headers() async throws {
        let bench = try ServerBench()
        let port = try bench.takeConnections()
        let body = Self.location()
        try await BlockingCall.run {
            let names: [[UInt8]] = [[0x4A, 0xF6, 0x72, 0x67], [0x4A, 0xE4, 0x72, 0x67], Array("Zoë".utf8)]
            for name in names {
                let connection = try RawConnection(port: port)
                connection.send(
                    Array("POST /owntracks HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Limit-D: phone\r\nX-Limit-U: ".utf8) + name
                        + Array("\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
                #expect(try connection.answer()?.status == 200)
            }
        }
        #expect(try await Self.devices(bench) == ["Järg/phone", "Jörg/phone", "Zoë/phone"])
    }

    @Test(
        "A report whose query is not UTF-8 is refused with its bytes, and makes no device",
        arguments: [
            ("GET", "/osmand?id=J%F6rg&lat=1&lon=2", nil, "id", "J%F6rg"),
            ("GET", "/?deviceid=J%E4rg&lat=1&lon=2", nil, "deviceid", "J%E4rg"),
            ("POST", "/pub?u=J%F6rg&d=phone", location(), "u", "J%F6rg"), ("POST", "/owntracks?d=%FFx", location(), "d", "%FFx"),
            ("POST", "/osmand", "id=J%F6rg&lat=1&lon=2", "id", "J%F6rg"), ("POST", "/osmand?id=a%C3", "{}", "id", "a%C3"),
        ])
    func queryOfReport(method: String, target: String, body: String?, field: String, value: String) async throws {
        let bench = try ServerBench(logLevel: .debug)
        let type = body?.hasPrefix("id=") == true ? Self.form : "application/json"
        let answer = try await bench.ask(method, target, body: body, type: type)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await Self.devices(bench).isEmpty)
        let problem = try #require(try await bench.json("/v1/problems")["problems"]?.array?.first)
        #expect(problem["source"]?.string == "intake")
        let parameters = problem["problem"]?["parameters"]
        #expect(parameters?["field"]?.string == field && parameters?["value"]?.string == value)
        #expect(problem.description.contains("'\(value)'") && problem.description.contains("not UTF-8"))
        #expect(try bench.log.contains("value=\(value)"))
    }

    @Test(
        "Any other request whose path or query is not UTF-8 is refused with its bytes",
        arguments: [
            ("PUT", "/v1/devices/J%F6rg", "path", "J%F6rg"), ("GET", "/v1/devices/%FF%FE/track", "path", "%FF%FE"),
            ("GET", "/v1/events?device=J%F6rg", "device", "J%F6rg"), ("POST", "/v1/positions?device=J%E4rg", "device", "J%E4rg"),
        ])
    func otherRequests(method: String, target: String, field: String, value: String) async throws {
        let bench = try ServerBench()
        let answer = try await bench.ask(method, target, body: method == "GET" ? nil : "{}")
        #expect((400..<500).contains(answer.status), "\(answer.text)")
        #expect(answer.text.contains("\(field) '\(value)' cannot be used: it is not UTF-8"), "\(answer.text)")
        #expect(try await Self.devices(bench).isEmpty)
    }

    @Test("A raw byte in a target that is not UTF-8 is refused as well")
    func rawTarget() async throws {
        let bench = try ServerBench()
        let port = try bench.takeConnections()
        try await BlockingCall.run {
            let connection = try RawConnection(port: port)
            connection.send(
                Array("GET /osmand?id=J".utf8) + [0xF6] + Array("rg&lat=1&lon=2 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
            )
            _ = try connection.answer()
        }
        #expect(try await Self.devices(bench).isEmpty)
    }

    @Test("A JSON body that is not UTF-8 is refused")
    func body() async throws {
        let bench = try ServerBench()
        let port = try bench.takeConnections()
        try await BlockingCall.run {
            for (target, start) in [("PUT /v1/devices/a", #"{"name":"J"#), ("POST /v1/positions", #"{"device":"J"#)] {
                let content = Array(start.utf8) + [0xF6] + Array(#"rg","timestamp":1777629600,"latitude":1,"longitude":2}"#.utf8)
                let connection = try RawConnection(port: port)
                connection.send(
                    Array(
                        "\(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\nContent-Length: \(content.count)\r\n\r\n"
                            .utf8) + content)
                let answer = try #require(try connection.answer())
                #expect((400..<500).contains(answer.status) && answer.text.contains("UTF-8"), "\(answer.text)")
            }
        }
        #expect(try await Self.devices(bench).isEmpty)
    }

    @Test("A device whose name was destroyed on the way is refused")
    func replaced() async throws {
        let bench = try ServerBench()
        let body = #"{"device":"J\#u{FFFD}rg","timestamp":1777629600,"latitude":1,"longitude":2}"#
        let answer = try await bench.ask("POST", "/v1/positions", body: body)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(try await Self.devices(bench).isEmpty)
    }

    // MARK: Traces

    @Test("A request without an ID is answered with 400, and leaves a problem, a log line and a count")
    func withoutID() async throws {
        let bench = try ServerBench(logLevel: .warning)
        for _ in 0..<3 {
            #expect(try await bench.ask("GET", "/osmand?lat=52.5163&lon=13.3777&name=dog&token=s3cret").status == 400)
        }
        #expect(try await bench.ask("POST", "/osmand", body: "lat=1&password=geheim", type: Self.form).status == 400)
        let problems = try await bench.json("/v1/problems")
        #expect(problems.column("problems", "source") == ["intake"])
        #expect(problems.description.contains("lat=1&password=…") && !problems.description.contains("geheim"))
        #expect(!problems.description.contains("s3cret"))
        let log = try bench.log
        #expect(log.contains("unusable") && !log.contains("geheim") && !log.contains("s3cret"))
        let metrics = try await bench.ask("GET", "/metrics").text
        #expect(metrics.contains("picket_fixes_refused_total"))
        let count = metrics.split(separator: "\n").first {
            $0.hasPrefix("picket_fixes_refused_total") && $0.contains("\"missing\"")
        }
        #expect(count?.hasSuffix(" 4") == true, "\(metrics)")
        #expect(try await Self.devices(bench).isEmpty)
    }

    @Test("The value of refused input is shown wherever the refusal is")
    func values() async throws {
        let bench = try ServerBench(logLevel: .debug)
        #expect(try await bench.ask("GET", "/osmand?id=bob&lat=52%2C5163&lon=13.4").status == 200)
        let problem = try await bench.json("/v1/problems").description
        #expect(problem.contains("lat '52,5163' cannot be read") && problem.contains("decimal comma"), "\(problem)")
        let device = try await bench.json("/v1/devices/bob")["refusedInput"]?.description ?? ""
        #expect(device.contains("'52,5163'") && device.contains("decimal comma"), "\(device)")
        #expect(try bench.log.contains("value=52,5163"))
        // The report for support has no input.
        let report = try await bench.ask("GET", "/v1/report").text
        #expect(!report.contains("52,5163"))
        // A dismissed problem does not come back because the value differs.
        let id = try await bench.json("/v1/problems").column("problems", "id").first ?? ""
        #expect(try await bench.ask("POST", "/v1/problems/\(id):dismiss").status < 300)
        #expect(try await bench.ask("GET", "/osmand?id=bob&lat=52%2C5164&lon=13.4").status == 200)
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.isEmpty == true)
    }

    @Test(
        "A request that names an unknown field instead of a position is no sign of life",
        arguments: [("id=dog1&breite=52.5&laenge=13.4", "breite=52.5&laenge=13.4"), ("id=dog1&gps=52.5%0A13.4", "gps=52.5 13.4")])
    func unknownFields(query: String, shown: String) async throws {
        let bench = try ServerBench()
        #expect(try await bench.ask("GET", "/osmand?\(query)").status == 200)
        let problem = try #require(try await bench.json("/v1/problems")["problems"]?.array?.first)
        #expect(problem["source"]?.string == "intake/dog1")
        #expect(problem["problem"]?["message"]?.string?.contains("lat is missing (received: '\(shown)')") == true, "\(problem)")
        // Usable input ends it, a few minutes after the last that was not.
        bench.clock.set(bench.clock.now() + 300)
        #expect(try await bench.ask("GET", "/osmand?id=dog1&latitude=52.5&longitude=13.4").status == 200)
        #expect(try await bench.json("/v1/problems")["problems"]?.array?.isEmpty == true)
    }

    @Test("Many refused requests leave one problem of bounded size")
    func bounded() async throws {
        let bench = try ServerBench()
        for number in 0..<40 {
            _ = try await bench.ask("GET", "/osmand?id=\(number);x\(number)=\(String(repeating: "y", count: 4000))")
            _ = try await bench.ask("GET", "/osmand?name\(number)=\(String(repeating: "z", count: 4000))")
        }
        let problems = try await bench.json("/v1/problems")
        #expect(problems.column("problems", "source") == ["intake"] && problems.description.utf8.count < 4000)
        #expect(try await Self.devices(bench).isEmpty)
    }
}
