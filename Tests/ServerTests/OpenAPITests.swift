import Foundation
import Model
import Routing
import TestSupport
import Testing

@testable import Ingest
@testable import Server

@Suite("OpenAPI document")
struct OpenAPITests {
    private static let validator = SchemaValidator(OpenAPI.document)

    @Test("The document is served to everyone")
    func served() async throws {
        let bench = try ServerBench()
        let answer = try await bench.ask("GET", "/openapi.json")
        #expect(answer.status == 200)
        #expect(answer["Content-Type"] == "application/json")
        #expect(try answer.json() == OpenAPI.document)
    }

    @Test("The document names exactly the existing routes")
    func routes() throws {
        let described = (OpenAPI.document["paths"]?.members ?? []).flatMap { path in
            (path.value.members ?? []).map { "\($0.name.uppercased()) \(path.name)" }
        }
        #expect(described.sorted() == Routes.all.map { "\($0.method) \($0.path)" }.sorted())
        let names = (OpenAPI.document["paths"]?.members ?? []).flatMap { path in
            (path.value.members ?? []).compactMap { $0.value["operationId"]?.string }
        }
        #expect(Set(names).count == names.count)
    }

    /// The names of a route's query fields in the description.
    private static func parameters(_ route: String) -> Set<String> {
        let parts = route.split(separator: " ").map(String.init)
        let operation = OpenAPI.document["paths"]?[parts[1]]?[parts[0].lowercased()]
        let described = operation?["parameters"]?.array ?? []
        return Set(described.filter { $0["in"] == "query" }.compactMap { $0["name"]?.string })
    }

    @Test("The document names every parameter that the routes understand, and unknown ones are refused")
    func parameters() async throws {
        let bench = try ServerBench()
        let mayAnything: Set = [
            "POST /v1/positions", "POST /owntracks", "POST /pub", "GET /osmand", "POST /osmand", "GET /", "POST /",
        ]
        for route in Routes.all where route.access != .open && !mayAnything.contains("\(route.method) \(route.path)") {
            // Path parameters are replaced by x.
            let path = route.path.split(separator: "/").map { part in
                part.hasPrefix("{") ? "x" + part.drop { $0 != "}" }.dropFirst() : part
            }
            let target = "/" + path.joined(separator: "/")
            let answer = try await bench.ask(route.method, target + "?colour=red", body: route.method == "GET" ? nil : "{}")
            #expect(answer.status == 422 && answer.text.contains("colour"), "\(route.method) \(target): \(answer.text)")
        }
        for name in Self.parameters("POST /v1/positions").subtracting(["device"]) {
            let answer = try await bench.ask("POST", "/v1/positions?\(name)=nonsense", body: "{}")
            #expect(answer.status == 422 && answer.text.contains("\"\(name)\""), "\(name): \(answer.text)")
        }
        let line = #"{"type":"LineString","coordinates":[[13.4,52.5],[13.5,52.5]]}"#
        let answer = try await bench.ask(
            "POST", "/v1/positions?device=d&start=2026-05-01&interval=60", body: line, type: "application/geo+json")
        #expect(try answer.json()["accepted"]?.double == 2, "\(answer.text)")

        let osmAnd = Self.parameters("GET /osmand").subtracting([Target.tokenField, "location"])
        let keys = JSONKeys.osmAnd.keys
        #expect(osmAnd.subtracting(keys.map(\.name)) == [])
        #expect(Set(keys.filter { osmAnd.contains($0.name) }.map(\.field)) == Set(keys.map(\.field)))
    }

    @Test("Routes refuse what the document does not allow: a missing field, a number out of range, an unknown word")
    func limits() async throws {
        let bench = try ServerBench()
        _ = try await bench.ask("PUT", "/v1/devices/x", body: "{}")
        for route in Routes.all where route.access != .open && route.access != .ingest {
            let path = route.path.split(separator: "/").map { part in
                part.hasPrefix("{") ? "x" + part.drop { $0 != "}" }.dropFirst() : part
            }
            let required = route.description.query.filter(\.isRequired)
            func field(_ field: RouteDescription.Parameter) -> String {
                let words = field.isList ? field.schema["items"]?["enum"] : field.schema["enum"]
                return words?.array?.first?.string ?? (field.name == "since" ? "2026-05-01" : "x")
            }
            func isRefused(_ name: String, _ value: String?) async throws -> Bool {
                let others = required.filter { $0.name != name }.map { "\($0.name)=\(field($0))" }
                let query = (others + [value.map { "\(name)=\($0)" }].compactMap { $0 }).joined(separator: "&")
                let answer = try await bench.ask(
                    route.method, "/\(path.joined(separator: "/"))?\(query)", body: route.method == "GET" ? nil : "{}")
                let field = try answer.json()["parameters"]?["field"]?.string
                if answer.status == 422, field == name { return true }
                Issue.record("\(route.method) \(route.path)?\(query): \(answer.status) \(answer.text.prefix(200))")
                return false
            }
            for field in route.description.query {
                if field.isRequired { #expect(try await isRefused(field.name, nil)) }
                if let least = field.schema["minimum"]?.double { #expect(try await isRefused(field.name, "\(Int(least) - 1)")) }
                if let most = field.schema["maximum"]?.double { #expect(try await isRefused(field.name, "\(Int(most) + 1)")) }
                let word = field.isList ? field.schema["items"]?["enum"] : field.schema["enum"]
                if word != nil { #expect(try await isRefused(field.name, "nonsense")) }
            }
        }
    }

    @Test(
        "A wrong method is answered with the methods of this very address",
        arguments: [
            ("PATCH", "/v1/sinks/x:pause", "POST"), ("DELETE", "/v1/sinks/x:pause", "POST"),
            ("PUT", "/v1/problems/1:dismiss", "POST"),
            ("POST", "/v1/geofences/overlaps", "GET, HEAD"), ("POST", "/v1/sinks/x", "DELETE, GET, HEAD, PUT"),
        ])
    func allowed(_ method: String, _ path: String, _ methods: String) async throws {
        let answer = try await ServerBench().ask(method, path, body: method == "GET" ? nil : "{}")
        #expect(answer.status == 405 && answer["Allow"] == methods, "\(answer.status) \(answer["Allow"] ?? "")")
    }

    @Test("An action has a colon, and an id that looks like one has %3A")
    func encodedColon() async throws {
        let bench = try ServerBench()
        for path in ["/v1/devices/a%3Aerase", "/v1/devices/b"] {
            #expect(try await bench.ask("PUT", path, body: "{}").status == 201)
        }
        #expect(try await bench.json("/v1/devices/a%3Aerase")["id"]?.string == "a:erase")
        #expect(try await bench.ask("DELETE", "/v1/devices/b:erase").status == 405)
        #expect(try await bench.ask("GET", "/v1/devices/b").status == 200)
        #expect(try await bench.ask("DELETE", "/v1/devices/a%3Aerase").status == 204)
    }

    @Test("The document names each conditional header, with the 412 that it can cause")
    func conditions() {
        var names: [String: [String]] = [:]
        for route in Routes.all {
            let operation = OpenAPI.document["paths"]?[route.path]?[route.method.lowercased()]
            let headers = (operation?["parameters"]?.array ?? []).filter { $0["in"] == "header" }
            let named = headers.compactMap { $0["name"]?.string }
            #expect(named.contains("If-Match") == (operation?["responses"]?["412"] != nil))
            if !named.isEmpty { names["\(route.method) \(route.path)"] = named }
        }
        let (both, match) = (["If-Match", "If-None-Match"], ["If-Match"])
        #expect(
            names == [
                "GET /v1/geofences/{id}": both, "PUT /v1/geofences/{id}": both, "PATCH /v1/geofences/{id}": match,
                "DELETE /v1/geofences/{id}": match, "POST /v1/geofences:edit": both, "GET /v1/devices/{id}": match,
                "PUT /v1/devices/{id}": both, "PATCH /v1/devices/{id}": match, "DELETE /v1/devices/{id}": match,
                "POST /v1/devices:edit": both,
            ])
    }

    @Test("The document defines exactly the schemas that it refers to")
    func schemas() {
        var referred: Set<String> = []
        func visit(_ value: JSONValue) {
            if let reference = value["$ref"]?.string, let name = reference.split(separator: "/").last,
                reference.contains("/schemas/")
            {
                referred.insert(String(name))
            }
            for member in value.members ?? [] { visit(member.value) }
            for element in value.array ?? [] { visit(element) }
        }
        visit(OpenAPI.document)
        let names = Schemas.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(referred.sorted() == names.sorted())
    }

    @Test("The schema of problems fits the answers")
    func problem() async throws {
        let bench = try ServerBench()
        for (method, target) in [
            ("GET", "/v1/geofences/x"), ("GET", "/nowhere"), ("PUT", "/v1/geofences"), ("GET", "/v1/events?wait=x"),
        ] {
            let answer = try await bench.ask(method, target)
            #expect(answer.status >= 400)
            #expect(answer["Content-Type"] == "application/problem+json")
            let json = try answer.json()
            #expect(Self.validator.flaws(of: json, by: JSONSchema.reference(to: "Problem")) == [], "\(method) \(target)")
            #expect(json["status"]?.double == Double(answer.status))
        }
    }

    // MARK: - Real answers

    /// A request: the route, the target and the body.
    private typealias Sample = (route: String, target: String, body: String?)

    private static let circle = #"{"id":"new","name":"New","latitude":52.5,"longitude":13.4,"radius":100}"#
    private static let polygon =
        #"{"name":"Area","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]},"policy":{"base":"phone","maxSpeed":"none"}}"#

    private static let across = #""geometry":{"type":"Polygon","coordinates":[[[179,1],[-179,1],[-179,2],[179,1]]]}"#
    private static let sink =
        #"{"id":"hook","kind":"webhook","url":"http://u:p@127.0.0.1:9/h","filter":{"types":["enter"],"quietHours":["22:00-07:00"]}}"#

    /// At least one request for every route, in this order.
    private static let samples: [Sample] = [
        // This gives the first event.
        ("GET /osmand", "/osmand?id=sos&lat=48.1&lon=11.5&alarm=sos", nil), ("GET /v1/alarms", "/v1/alarms?open=true", nil),
        ("POST /v1/alarms/{id}:acknowledge", "/v1/alarms/1:acknowledge?by=Anna", ""),
        ("GET /alarms/{id}", "/alarms/1?key=wrong", nil), ("POST /alarms/{id}", "/alarms/1?key=wrong", ""),
        ("POST /v1/geofences", "/v1/geofences", circle), ("PUT /v1/geofences/{id}", "/v1/geofences/area", polygon),
        ("PUT /v1/geofences/{id}", "/v1/geofences/area", polygon),
        ("PATCH /v1/geofences/{id}", "/v1/geofences/area", #"{"dwell":60}"#),
        ("GET /v1/geofences", "/v1/geofences?limit=2", nil), ("GET /v1/geofences/{id}", "/v1/geofences/area", nil),
        (
            "POST /v1/geofences:import", "/v1/geofences:import",
            "id,name,latitude,longitude,radius\nc,C,52.5,13.4,100\nd,D,x,13.4,1\n"
        ),
        ("POST /v1/geofences:import", "/v1/geofences:import", "id,name,latitude,longitude,radius\nd,D,x,13.4,1\n"),
        // Replaces C, adds D, and has a geofence across the antimeridian.
        (
            "POST /v1/geofences:import", "/v1/geofences:import?onConflict=replace",
            "name,latitude,longitude,radius\nC,52.6,13.4,100\n"
        ),
        (
            "POST /v1/geofences:import", "/v1/geofences:import?onConflict=rename",
            "name,latitude,longitude,radius\nC,52.7,13.4,100\n"
        ), ("POST /v1/geofences:import", "/v1/geofences:import", "{\"type\":\"Feature\",\"properties\":{},\(across)}"),
        ("PUT /v1/geofences/{id}", "/v1/geofences/across", "{\(across)}"),
        ("PATCH /v1/geofences/{id}", "/v1/geofences/across?asWritten=true", "{\(across)}"),
        ("POST /v1/geofences:edit", "/v1/geofences:edit", "{\"edits\":[{\"put\":{\"id\":\"across\",\(across)}}]}"),
        ("GET /v1/geofences:export", "/v1/geofences:export", nil),
        ("GET /v1/geofences/overlaps", "/v1/geofences/overlaps?limit=1", nil),
        ("POST /v1/geofences:overlaps", "/v1/geofences:overlaps?limit=1", circle),
        ("POST /v1/devices", "/v1/devices", #"{"id":"jane"}"#),
        ("PUT /v1/devices/{id}/owntracks-key", "/v1/devices/jane/owntracks-key", #"{"key":"s3cr3t"}"#),
        ("GET /v1/devices/{id}", "/v1/devices/jane", nil),
        ("DELETE /v1/devices/{id}/owntracks-key", "/v1/devices/jane/owntracks-key", nil),
        ("DELETE /v1/devices/{id}", "/v1/devices/jane", nil),
        ("POST /v1/devices", "/v1/devices", #"{"id":"phone","platform":"ios","groups":["g"],"policy":"exact"}"#),
        ("PUT /v1/devices/{id}", "/v1/devices/app", #"{"platform":"android","registry":"app"}"#),
        ("PUT /v1/devices/{id}", "/v1/devices/app", #"{"platform":"android","registry":"app"}"#),
        ("PATCH /v1/devices/{id}", "/v1/devices/phone", #"{"name":"Phone"}"#),
        (
            "POST /v1/positions", "/v1/positions?policy=exact",
            """
            {"device":"phone","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4,"accuracy":5,"altitude":30,"speed":1,"course":90,"battery":0.5,"steps":7}
            {"device":"phone","timestamp":"2026-05-01T10:01:00Z","latitude":53.5,"longitude":13.4}
            {"device":"phone","timestamp":"2026-05-01T10:00:30Z","latitude":52.5,"longitude":13.4}
            {"device":"tracker","timestamp":"2026-05-01T10:02:00Z","latitude":52.5,"longitude":13.4}
            {"device":"tracker","timestamp":"2026-05-01T10:02:00Z","latitude":95,"longitude":13.4}
            """
        ),
        ("POST /v1/positions", "/v1/positions", #"{"device":"phone","timestamp":"then","latitude":52.5,"longitude":13.4}"#),
        ("POST /v1/replay", "/v1/replay", #"{"deviceId":"phone","since":"2026-05-01"}"#),
        ("PUT /v1/geofences/{id}", "/v1/geofences/later", #"{"name":"Later","latitude":52.5,"longitude":13.4,"radius":90}"#),
        ("POST /v1/replay", "/v1/replay", #"{"geofences":["later"]}"#),
        ("GET /v1/devices", "/v1/devices?limit=2", nil), ("GET /v1/devices/{id}", "/v1/devices/tracker", nil),
        ("GET /v1/devices/{id}/track", "/v1/devices/phone/track?limit=2", nil),
        ("GET /v1/devices/{id}/stops", "/v1/devices/phone/stops?minDuration=0&addresses=true", nil),
        ("GET /v1/geocode", "/v1/geocode?q=Berlin", nil),
        ("GET /v1/devices/{id}/track", "/v1/devices/phone/track?format=gpx", nil),
        ("GET /v1/geofences/{id}/devices", "/v1/geofences/new/devices", nil), ("GET /v1/events", "/v1/events", nil),
        ("GET /v1/events", "/v1/events?order=newest&limit=1&all=true", nil),
        ("GET /v1/visits", "/v1/visits", nil), ("GET /v1/visits", "/v1/visits?order=newest&limit=1", nil),
        ("GET /v1/visits/totals", "/v1/visits/totals?limit=1", nil), ("GET /v1/status", "/v1/status?totals=true&seen=true", nil),
        ("GET /v1/explain", "/v1/explain?device=phone&geofence=new&at=2026-05-01T10:00:00Z", nil),
        ("GET /v1/health", "/v1/health?totals=true", nil),
        ("GET /v1/devices/{id}/health", "/v1/devices/phone/health?explain=true", nil),
        ("GET /v1/devices/{id}/health", "/v1/devices/tracker/health", nil),
        ("GET /v1/devices/{id}/health", "/v1/devices/app/health", nil),
        ("POST /v1/devices/{id}/fix-registration", "/v1/devices/phone/fix-registration?dryRun=true", ""),
        ("POST /v1/devices/{id}/fix-registration", "/v1/devices/phone/fix-registration", ""),
        ("GET /v1/devices/{id}/health-changes", "/v1/devices/phone/health-changes", nil),
        ("GET /v1/devices/{id}/repairs", "/v1/devices/phone/repairs", nil),
        ("GET /v1/devices/{id}/registry", "/v1/devices/phone/registry", nil),
        (
            "POST /v1/devices/{id}/registry:simulate", "/v1/devices/phone/registry:simulate",
            #"{"action":"addForeign","identifier":"com.ads/42","latitude":52.5,"longitude":13.4,"radius":200}"#
        ),
        // These tests have no dashboard (see DashboardRouteTests).
        ("GET /dashboard/{name}", "/dashboard/none.js", nil),
        ("GET /dashboard/leaflet/{name}", "/dashboard/leaflet/none.js", nil),
        ("GET /dashboard/leaflet/images/{name}", "/dashboard/leaflet/images/none.png", nil),
        (
            "PUT /v1/devices/{id}/registry", "/v1/devices/app/registry",
            #"{"authorizationStatus":"whenInUse","regions":[{"identifier":"picket/gone","latitude":1,"longitude":2,"radius":100}],"batteryOptimized":true}"#
        ),
        (
            "POST /v1/devices/{id}/observations", "/v1/devices/app/observations",
            #"[{"at":"2026-05-01T10:00:30Z","type":"enter","identifier":"picket/new"},{"at":"2026-05-01T10:00:31Z","type":"enter","identifier":"other"},{"type":"exit"}]"#
        ),
        ("POST /v1/devices/{id}/observations", "/v1/devices/app/observations", "[{}]"),
        ("GET /v1/devices/{id}/comparison", "/v1/devices/app/comparison?since=2026-05-01&until=2026-05-01", nil),
        (
            "POST /v1/devices/{id}/observations", "/v1/devices/phone/observations",
            #"[{"at":"2026-05-01T10:00:30Z","type":"exit","identifier":"picket/new"},{"at":"2026-05-01T10:00:31Z","type":"enter","identifier":"picket/old"}]"#
        ),
        (
            "GET /v1/devices/{id}/comparison",
            "/v1/devices/phone/comparison?since=2026-05-01&until=2026-05-01&clockSkew=1s&maxDelay=5m&prefix=a", nil
        ),
        // The app lacks an authorization, which causes an open problem.
        ("POST /v1/devices/{id}/fix-registration", "/v1/devices/app/fix-registration", ""),
        ("GET /v1/report", "/v1/report", nil),
        ("GET /v1/reports", "/v1/reports?by=group,geofence&period=week&since=2026-05-01&until=2026-05-31", nil),
        ("GET /v1/doctor", "/v1/doctor", nil),
        ("GET /v1/devices/{id}/export", "/v1/devices/phone/export", nil), ("GET /v1/check", "/v1/check", nil),
        ("GET /v1/backup", "/v1/backup", nil),
        ("POST /v1/devices:edit", "/v1/devices:edit?dryRun=true", #"{"all":true,"patch":{"keepPositions":60}}"#),
        ("POST /v1/devices:edit", "/v1/devices:edit", #"{"devices":["phone","nobody"],"patch":{"silentAfter":60}}"#),
        ("POST /v1/devices:edit", "/v1/devices:edit", #"{"devices":["phone"],"patch":{"silentAfter":60}}"#),
        (
            "PATCH /v1/groups/{name}", "/v1/groups/g",
            #"{"policy":"phone","keepPositions":"forever","quietHours":["22:00-06:00"]}"#
        ),
        ("GET /v1/groups", "/v1/groups", nil), ("GET /v1/groups/{name}", "/v1/groups/g", nil),
        ("GET /v1/devices/{id}", "/v1/devices/phone", nil),
        ("GET /v1/problems", "/v1/problems", nil),
        ("GET /v1/problems/{id}", "/v1/problems/1", nil),
        ("POST /v1/problems/{id}:dismiss", "/v1/problems/1:dismiss", ""),
        ("DELETE /v1/devices/{id}/positions", "/v1/devices/tracker/positions?since=2020-01-01T00:00:00Z&dryRun=true", nil),
        ("DELETE /v1/devices/{id}/positions", "/v1/devices/tracker/positions?since=2020-01-01T00:00:00Z", nil),
        ("DELETE /v1/geofences/{id}", "/v1/geofences/new", nil), ("DELETE /v1/devices/{id}", "/v1/devices/tracker", nil),
        ("GET /v1/events", "/v1/events?type=exit", nil), ("GET /healthz", "/healthz", nil), ("GET /readyz", "/readyz", nil),
        ("GET /openapi.json", "/openapi.json", nil), ("GET /metrics", "/metrics", nil),
        ("GET /osmand", "/osmand?id=t&lat=52.5&lon=13.4&timestamp=1777629600", nil),
        ("POST /osmand", "/osmand", #"[{"id":"t","lat":52.6,"lon":13.4,"timestamp":1777629700}]"#),
        ("GET /", "/?id=t&lat=52.5&lon=13.4&timestamp=1777629800", nil),
        ("POST /", "/?id=t&lat=52.5&lon=13.4&timestamp=1777629900", ""),
        ("POST /pub", "/pub?u=a&d=b", #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1777629600}"#),
        ("POST /owntracks", "/owntracks?u=a&d=b", #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1777629600}"#),
        ("POST /v1/geofences:edit", "/v1/geofences:edit", #"{"edits":[{"put":\#(circle)},{"remove":"new"}]}"#),
        ("POST /v1/devices:edit", "/v1/devices:edit", #"{"edits":[{"put":{"id":"t","groups":["g"]}}]}"#),
        ("POST /v1/devices/{id}:erase", "/v1/devices/t:erase", ""),
        ("POST /v1/sinks", "/v1/sinks", sink),
        ("POST /v1/devices:edit", "/v1/devices:edit", #"{"edits":[{"put":{"id":"mia"}}]}"#),
        ("PUT /v1/geofences/{id}", "/v1/geofences/home", circle.replacing("\"new\"", with: "\"home\"")),
        (
            "POST /v1/rules", "/v1/rules",
            #"{"deviceId":"mia","geofenceId":"home","kind":"entersBy","by":"08:15","days":"mon-fri","timeZone":"Europe/Berlin","except":["2026-12-24..2027-01-06"]}"#
        ),
        ("GET /v1/rules", "/v1/rules", nil), ("GET /v1/rules/{id}", "/v1/rules/mia-home-enters-by", nil),
        (
            "PUT /v1/rules/{id}", "/v1/rules/mia-home-enters-by",
            #"{"deviceId":"mia","geofenceId":"home","kind":"staysAtMost","duration":7200,"isActive":false}"#
        ),
        ("DELETE /v1/rules/{id}", "/v1/rules/mia-home-enters-by", nil),
        (
            "PUT /v1/sinks/{id}", "/v1/sinks/hook",
            #"{"kind":"webhook","url":"http://127.0.0.1:9/h","token":"t","headers":{"X":"y"},"rateLimit":{"messages":1,"seconds":60}}"#
        ),
        ("POST /v1/sinks/{id}:test", "/v1/sinks/hook:test", ""), ("POST /v1/sinks/{id}:pause", "/v1/sinks/hook:pause", ""),
        ("GET /v1/sinks", "/v1/sinks", nil), ("GET /v1/sinks/{id}", "/v1/sinks/hook", nil),
        ("POST /v1/sinks/{id}:resume", "/v1/sinks/hook:resume?skip=true", ""),
        ("GET /v1/sinks/{id}/parked", "/v1/sinks/hook/parked", nil),
        ("POST /v1/sinks/{id}/parked:resend", "/v1/sinks/hook/parked:resend", ""),
        ("DELETE /v1/sinks/{id}/parked", "/v1/sinks/hook/parked", nil), ("DELETE /v1/sinks/{id}", "/v1/sinks/hook", nil),
        ("GET /v1/session", "/v1/session", nil), ("GET /v1/me/preferences", "/v1/me/preferences", nil),
        ("PUT /v1/me/preferences", "/v1/me/preferences", #"{"theme":"dark"}"#),
        ("GET /v1/events", "/v1/events?format=csv", nil), ("GET /v1/visits", "/v1/visits?format=geojson", nil),
        ("GET /v1/sample-data", "/v1/sample-data", nil),
        ("POST /v1/sample-data", "/v1/sample-data", ""), ("DELETE /v1/sample-data", "/v1/sample-data", nil),
        // From the first token on all requests need one; the answer contains one for the following requests.
        ("POST /v1/devices/{id}:enroll", "/v1/devices/mia:enroll", #"{"name":"Mia","platform":"ios"}"#),
        ("GET /v1/waiting-devices", "/v1/waiting-devices", nil),
        ("POST /v1/waiting-devices/{id}:refuse", "/v1/waiting-devices/stranger:refuse", ""),
        ("GET /v1/waiting-devices", "/v1/waiting-devices", nil),
        ("POST /v1/waiting-devices/{id}:readmit", "/v1/waiting-devices/stranger:readmit", ""),
        ("POST /v1/tokens", "/v1/tokens", #"{"name":"me","role":"admin"}"#),
        ("POST /v1/tokens", "/v1/tokens", #"{"name":"guest","role":"reader","devices":["mia"],"groups":["g"]}"#),
        ("POST /v1/stream-tokens", "/v1/stream-tokens", ""),
    ]

    @Test("The schemas of all routes fit their answers")
    func answers() async throws {
        let geocoder = try ScriptedEndpoint.geocoder()
        let bench = try ServerBench(flags: ["geocoder": geocoder.url])
        // The stream has no end, and tokens are tested with a token (TokenRouteTests).
        var seen: Set<String> = ["GET /v1/events/stream", "GET /v1/tokens", "DELETE /v1/tokens/{id}"]
        // Signing in needs a token and a special header (SessionRouteTests).
        seen.formUnion(["POST /v1/session", "DELETE /v1/session"])
        var headers: [String: String] = [:]
        for (route, target, body) in Self.samples {
            seen.insert(route)
            let parts = route.split(separator: " ").map(String.init)
            let answer = try await bench.ask(parts[0], target, body: body, headers: headers)
            if target.hasSuffix(":enroll"), let secret = try answer.json()["administrator"]?["secret"]?.string {
                headers["Authorization"] = "Bearer \(secret)"
                // This device waits from now on.
                #expect(try await bench.ask("GET", "/osmand?id=stranger&lat=1&lon=2").status == 401)
            }
            let responses = OpenAPI.document["paths"]?[parts[1]]?[parts[0].lowercased()]?["responses"]
            // The key of an alarm's link is unknown here, so its refusal is described by the general problem.
            let isRefusal = answer.status == 404 && (target.contains("key=") || target.contains("/none."))
            let status = isRefusal ? nil : responses?[String(answer.status)]
            let refusal = answer.status == 404 ? OpenAPI.document["components"]?["responses"]?["Problem"] : nil
            let described = try #require(
                status ?? refusal, "\(parts[0]) \(target): \(answer.status) \(answer.text)")
            let type = answer["Content-Type"] ?? ""
            guard let content = described["content"] else {
                #expect(answer.body.isEmpty)
                continue
            }
            let schema = try #require(content[type]?["schema"], "\(target): \(type)")
            let value: JSONValue = type.hasSuffix("json") && !type.hasSuffix("ndjson") ? try answer.json() : .string(answer.text)
            #expect(Self.validator.flaws(of: value, by: schema) == [], "\(parts[0]) \(target)")
            for header in described["headers"]?.members ?? [] { #expect(answer[header.name] != nil, "\(target): \(header.name)") }
        }
        #expect(seen.sorted() == Routes.all.map { "\($0.method) \($0.path)" }.sorted())
    }

    @Test("Summaries and descriptions use plain words")
    func words() throws {
        func check(_ value: JSONValue, _ place: String) throws {
            for member in value.members ?? [] {
                let inner = "\(place)/\(member.name)"
                if ["summary", "description"].contains(member.name), let text = member.value.string {
                    // Words in quotation marks are values and names of fields.
                    let prose = text.replacing(/(^|[^A-Za-z])'[^']*'/) { "\($0.1)'…'" }
                    for finding in try PlainWords.forUsers.findings(in: prose) { Issue.record("\(inner): \(text): \(finding)") }
                }
                try check(member.value, inner)
            }
            for element in value.array ?? [] { try check(element, place) }
        }
        try check(OpenAPI.document, "")
    }

    @Test("The schema validator finds errors")
    func validator() {
        let fix: JSONValue = ["latitude": .number("1"), "longitude": .number("2"), "timestamp": "2026-05-01T10:00:00Z"]
        func flaws(_ change: JSONValue) -> Int {
            Self.validator.flaws(of: fix.merged(with: change), by: JSONSchema.reference(to: "Fix")).count
        }
        #expect(flaws([:]) == 0)
        #expect(flaws(["latitude": .null]) == 1)
        #expect(flaws(["latitude": "1"]) == 1)
        #expect(flaws(["timestamp": "today"]) == 1)
        #expect(flaws(["colour": "red"]) == 1)
    }
}
