import Model
import Routing
import TestSupport
import Testing

@testable import Server

@Suite("Paths and methods")
struct AddressTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    @Test("An unknown path gives 404, with a hint to the known ones")
    func unknown() async throws {
        let answer = try await bench.ask("GET", "/v2/all")
        #expect(answer.status == 404)
        #expect(try answer.json()["message"]?.string == "There is no address '/v2/all'. '/openapi.json' lists the addresses.")
        #expect(try await bench.ask("GET", "/v1/geofence").text.contains("/v1/geofences"))
    }

    @Test("An unknown method gives 405, with the allowed ones", arguments: ["OPTIONS", "POST", "TRACE"])
    func methods(method: String) async throws {
        let answer = try await bench.ask(method, "/v1/geofences/home")
        #expect(answer.status == 405)
        #expect(answer["Allow"] == "DELETE, GET, HEAD, PATCH, PUT")
        #expect(answer["Content-Type"] == "application/problem+json")
    }

    @Test("HEAD is answered like GET, without the body")
    func head() async throws {
        try await bench.add("home", 52.5, 13.4)
        let get = try await bench.ask("GET", "/v1/geofences/home")
        let head = try await bench.ask("HEAD", "/v1/geofences/home")
        #expect(head.status == 200)
        #expect(head["Content-Length"] == get["Content-Length"])
        #expect(head["ETag"] == get["ETag"])
        #expect(try await bench.ask("HEAD", "/v1/geofences/none").status == 404)
    }

    @Test("A name in the path can contain any characters", arguments: ["a/b", "ä ü", "a%2Fb", "a:dismiss", "..", "+", "?"])
    func names(name: String) async throws {
        let made = try await bench.ask("PUT", "/v1/devices/\(PercentEncoding.escape(name))", body: "{}")
        #expect(made.status == 201)
        #expect(try made.json()["id"]?.string == name)
        #expect(try await bench.json("/v1/devices").column("devices", "id") == [name])
    }

    @Test("An unknown query parameter is refused, except for probes")
    func queries() async throws {
        for target in [
            "/v1/events?tpye=enter", "/v1/events/stream?filter=x", "/v1/geofences/home?fields=name", "/v1/status?total=true",
        ] {
            #expect(try await bench.ask("GET", target).status == 422, "\(target)")
        }
        #expect(try await bench.ask("GET", "/healthz?verbose").status == 200)
    }

    @Test("Probes learn that the process is alive and ready")
    func process() async throws {
        #expect(try await bench.ask("GET", "/healthz").text == "ok\n")
        #expect(try await bench.ask("GET", "/readyz").text == "ready\n")
        #expect(try await bench.ask("HEAD", "/readyz").status == 200)
    }

    @Test(
        "Malformed HTTP does no harm",
        arguments: [
            "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "\u{0}\u{1}\u{2}",
            "POST /v1/geofences HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
            "POST /v1/geofences HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n",
        ])
    func malformed(bytes: String) async throws {
        let port = try bench.takeConnections()
        try await BlockingCall.run { try RawConnection(port: port).send(bytes) }
        #expect(try await bench.ask("GET", "/healthz").status == 200)
    }

    @Test("A body above the limit is refused before its end")
    func tooLarge() async throws {
        let port = try bench.takeConnections()
        let answer = try await BlockingCall.run {
            let connection = try RawConnection(port: port)
            connection.send("POST /v1/geofences HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n")
            connection.send([UInt8](repeating: 0x20, count: 20_000_000))
            return try connection.answer()
        }
        #expect(answer?.status == 413)
    }

    @Test("A query of too many fields is refused, so that no filter is left out")
    func tooManyFields() async throws {
        let bench = try ServerBench()
        let query = (0..<128).map { "x\($0)=" }.joined(separator: "&")
        let answer = try await bench.ask("GET", "/v1/events?device=nobody&\(query)")
        #expect(answer.status == 400 && answer.text.contains("it has more than 128 fields"))
        #expect(try await bench.ask("GET", "/v1/events?\(query)").status == 422)
    }

    @Test(
        "A page of another site is recognized regardless of the rest of its address",
        arguments: [
            "http://evil/?x://localhost/", "http://evil#://localhost/", "http://localhost@evil/", "http://evil/a://localhost",
            "http://evil?http://localhost/", "evil/://localhost", "http://evil\\@localhost/",
        ])
    func referrer(_ address: String) async throws {
        let bench = try ServerBench()
        #expect(try await bench.ask("GET", "/v1/status", headers: ["Referer": address]).status == 403)
        #expect(try await bench.ask("GET", "/v1/status", headers: ["Origin": address]).status == 403)
        #expect(try await bench.ask("GET", "/v1/status", headers: ["Referer": "http://localhost:7/?x://evil/"]).status == 200)
    }

    @Test("No address of a route hides an id that can be given")
    func hiddenIDs() {
        for literal in Routes.all where !literal.path.contains("{") {
            let target = Target(literal.path)
            for route in Routes.all where route.method == literal.method && route.path.contains("{") {
                guard let id = route.match(target)?.first else { continue }
                #expect(route.path == "/v1/geofences/{id}" && Identifier.reservedForGeofences.contains(id), "\(literal.path)")
            }
        }
    }

    @Test("A geofence cannot get an id that is an address")
    func reservedID() async throws {
        #expect(try await bench.json("/v1/geofences/overlaps")["isComplete"]?.bool == true)
        let refused = try await bench.add("overlaps", 52.5, 13.4)
        #expect(refused.status == 422 && refused.text.contains("the address /v1/geofences/overlaps has another meaning"))
        let made = try await bench.ask(
            "POST", "/v1/geofences", body: #"{"name":"Overlaps","latitude":52.5,"longitude":13.4,"radius":100}"#)
        #expect(try made.json()["id"] == "overlaps-2")
        let file = #"{"type":"FeatureCollection","features":[\#(Self.feature("overlaps")),\#(Self.feature("other"))]}"#
        let imported = try await bench.ask("POST", "/v1/geofences:import", body: file).json()
        #expect(imported["imported"]?.double == 1 && imported.column("refused", "field") == ["geofence 1 'overlaps': id"])
    }

    private static func feature(_ id: String) -> String {
        #"{"type":"Feature","id":"\#(id)","properties":{"radius":100},"geometry":{"type":"Point","coordinates":[13.4,52.5]}}"#
    }
}
