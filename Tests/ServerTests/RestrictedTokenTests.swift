import Foundation
import Model
import Routing
import TestSupport
import Testing

@testable import Server

@Suite("Restricted tokens")
struct RestrictedTokenTests {
    /// A service with the devices `anna`, of the group `family`, and `hidden-bob`, and tokens.
    struct Household {
        let bench: ServerBench
        let admin: [String: String]

        /// - Parameter hasHidden: Whether the hidden device, and what is about it, exists.
        init(hasHidden: Bool) async throws {
            bench = try ServerBench()
            let secret = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?
                .string
            admin = ["Authorization": "Bearer \(try #require(secret))"]
            let hidden = hasHidden ? #","hidden-bob""# : ""
            try await make(
                "/v1/devices",
                #"{"id":"anna","name":"Anna","groups":["family"],"platform":"ios","registry":"simulated","silentAfter":30000000}"#
            )
            for (id, more) in [
                ("home", ""), ("shared", ",\"devices\":[\"anna\"\(hidden)]"), ("garden", #","groups":["family"]"#),
            ] {
                try await make(
                    "/v1/geofences",
                    "{\"id\":\"\(id)\",\"name\":\"\(id)\",\"latitude\":52.5,\"longitude\":13.4,\"radius\":100\(more)}")
            }
            try await make(
                "/v1/rules", #"{"id":"rule-a","deviceId":"anna","geofenceId":"home","kind":"staysAtMost","duration":7200}"#)
            try await make(
                "/v1/groups/family", #"{"quietHours":["22:00-06:00"]}"#, method: "PATCH")
            try await visit("anna", day: 1)
            _ = try await bench.json("/v1/health?device=anna", headers: admin)
            try await waitForProblem("registry/anna")
            try await make("/v1/devices/anna/fix-registration", "")
            // An alarm, and input that cannot be used, which is a problem.
            try await make("/osmand?id=anna&alarm=sos&lat=52.5&lon=13.4&timestamp=1777716000", nil)
            try await make("/osmand?id=anna&lat=abc&lon=13.4", nil)
            try await waitForProblem("intake/anna")
            guard hasHidden else { return }
            try await make(
                "/v1/devices",
                #"{"id":"hidden-bob","name":"Robert Secret","groups":["work"],"platform":"ios","registry":"simulated","silentAfter":30000000}"#
            )
            try await make(
                "/v1/geofences",
                #"{"id":"bobs-den","name":"Den","latitude":52.5,"longitude":13.4,"radius":100,"devices":["hidden-bob"]}"#)
            try await make(
                "/v1/rules", #"{"id":"rule-b","deviceId":"hidden-bob","geofenceId":"home","kind":"staysAtMost","duration":7200}"#)
            try await make(
                "/v1/rules", #"{"id":"rule-c","group":"work","geofenceId":"home","kind":"staysAtMost","duration":7200}"#)
            // A group without a visible device, and one that has only values.
            for group in ["work", "hidden-night"] {
                try await make("/v1/groups/\(group)", #"{"silentAfter":36000}"#, method: "PATCH")
            }
            try await make(
                "/v1/sinks", #"{"id":"hook","kind":"webhook","url":"http://127.0.0.1:9/h","filter":{"devices":["hidden-bob"]}}"#)
            try await visit("hidden-bob", day: 2)
            try await make("/v1/devices/hidden-bob/fix-registration", "")
            try await make("/osmand?id=hidden-bob&alarm=sos&lat=52.5&lon=13.4&timestamp=1777802400", nil)
            try await make("/osmand?id=hidden-bob&lat=abc&lon=13.4", nil)
            try await waitForProblem("intake/hidden-bob")
        }

        func make(_ target: String, _ body: String?, method: String = "POST") async throws {
            let answer = try await bench.ask(body == nil ? "GET" : method, target, body: body, headers: admin)
            try #require((200..<300).contains(answer.status), "\(target): \(answer.text)")
        }

        /// Waits until a problem is open. Problems have numbers in the order in which they are opened, which can be after the answer.
        func waitForProblem(_ source: String) async throws {
            while try await !bench.json("/v1/problems", headers: admin).column("problems", "source").contains(source) {}
        }

        /// The number of an open problem. A busy machine can have problems that are not about a device, which have numbers, too.
        func problem(_ source: String) async throws -> String? {
            try await bench.json("/v1/problems", headers: admin)["problems"]?.array?.first { $0["source"]?.string == source }?[
                "id"]?
                .string
        }

        /// Waits until it is recorded that the phone is healthy again.
        func waitForHealth() async throws {
            while try await bench.json("/v1/devices/anna/health-changes", headers: admin)["changes"]?.array?.first?["isHealthy"]
                != true
            {}
        }

        /// Reports an enter and an exit of `home`.
        func visit(_ device: String, day: Int) async throws {
            for (minute, latitude) in [(0, 52.5), (5, 52.6), (10, 52.7)] {
                try await make(
                    "/v1/positions?policy=exact",
                    "{\"device\":\"\(device)\",\"timestamp\":\"2026-05-0\(day)T10:\(minute < 10 ? "0" : "")\(minute):00Z\","
                        + "\"latitude\":\(latitude),\"longitude\":13.4,\"accuracy\":5}")
            }
        }

        /// The headers of a new token.
        func token(_ rights: String) async throws -> [String: String] {
            let made = try await bench.ask("POST", "/v1/tokens", body: "{\"name\":\"guest\",\(rights)}", headers: admin)
            let secret = try #require(try made.json()["secret"]?.string, "\(made.text)")
            return ["Authorization": "Bearer \(secret)"]
        }
    }

    private static let names = [
        "hidden-bob", "Robert Secret", "bobs-den", "rule-b", "rule-c", "hook", "hidden-night",
    ]

    @Test("Every route for readers and reports says what a restricted token gets, and no other route needs to")
    func decisions() {
        for route in Routes.all {
            let isDecided = route.access == .reader || route.access == .ingest
            #expect((route.restricted != nil) == isDecided, "\(route.method) \(route.path)")
        }
    }

    /// Values for the parameters of paths and queries.
    private static let pathValues = [
        "anna", "home", "hidden-bob", "shared", "rule-a", "1", "bobs-den", "rule-b", "hook", "2", "3", "family",
        "work",
    ]
    private static let queryValues: [String: [String]] = [
        "device": ["anna", "hidden-bob"], "geofence": ["home", "shared", "bobs-den"], "inside": ["home", "bobs-den"],
        "of": ["home", "bobs-den"], "group": ["family", "work"], "matching": ["e"], "containing": ["52.5,13.4"],
        "bbox": ["13,52,14,53"], "format": ["csv", "geojson", "gpx"], "order": ["newest"], "all": ["true"], "open": ["true"],
        "totals": ["true"], "seen": ["true"], "explain": ["true"], "after": ["0", "4", "100000"], "limit": ["1"],
        "since": ["2026-05-01"], "keepPositions": ["1d"], "positions": ["all"], "notices": ["true"], "type": ["enter"],
    ]

    /// Requests for a route, with and without each parameter.
    static func targets(_ route: Route<API>) -> [String] {
        let paths =
            route.path.contains("{")
            ? pathValues.map { value in
                let start = route.path.prefix { $0 != "{" }
                return "\(start)\(value)\(route.path.drop { $0 != "}" }.dropFirst())"
            } : [route.path]
        let isExplanation = route.path == "/v1/explain"
        var queries = isExplanation ? [] : [""]
        for field in route.description.query {
            for value in queryValues[field.name] ?? [] where !isExplanation { queries.append("?\(field.name)=\(value)") }
        }
        if isExplanation {
            for (device, fence) in [("anna", "home"), ("anna", "shared"), ("anna", "bobs-den"), ("hidden-bob", "home")] {
                queries.append("?device=\(device)&geofence=\(fence)")
            }
        }
        // Parameters are tried with some paths only, because these are many requests.
        return paths.prefix(3).flatMap { path in queries.map { path + $0 } } + paths.dropFirst(3)
    }

    /// A text without what differs between two stores.
    private static func plain(_ text: String, _ identity: [String: String]) -> String {
        identity.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }

    /// The newest of the changes in a list of them.
    private static func newestChange(_ text: String) -> String? {
        (try? JSONParser.parse(text))?["changes"]?.array?.first?.description
    }

    private static func identity(_ household: Household) async throws -> [String: String] {
        let store = try await household.bench.json("/v1/status", headers: household.admin)["store"]
        var found = ["127.0.0.1:\(household.bench.server.api.site.address.port)": "ADDRESS"]
        for name in ["id", "generation"] { found[try #require(store?[name]?.string)] = name.uppercased() }
        for (index, source) in ["registry/anna", "intake/anna"].enumerated() {
            if let number = try await household.problem(source) {
                found["\"id\":\"\(number)\",\"source\""] = "PROBLEM \(index + 1)"
            }
        }
        let hidden = try await household.problem("intake/hidden-bob") ?? "999"
        found["\"id\":\"\(hidden)\",\"similar\""] = "PROBLEM 3"
        found["problem '\(hidden)'"] = "PROBLEM"
        return found
    }

    /// The address of a problem with its number in a store: 1 and 2 are those of `anna`, 3 is that of `hidden-bob`.
    private static func numbered(_ target: String, _ identity: [String: String]) -> String {
        guard target.hasPrefix("/v1/problems/"), let last = target.split(separator: "/").last,
            let number = identity.first(where: { $0.value == "PROBLEM \(last)" })?.key.split(separator: "\"")[2]
        else { return target }
        return "/v1/problems/\(number)"
    }

    /// The oracle is a service where the hidden devices never existed.
    @Test("What a restricted reader gets of every route is what it would get if the other devices did not exist")
    func everyRoute() async throws {
        let (whole, part) = (try await Household(hasHidden: true), try await Household(hasHidden: false))
        for household in [whole, part] { try await household.waitForHealth() }
        for rights in [#""role":"reader","groups":["family"]"#, #""role":"reader","device":"anna""#] {
            let (guest, other) = (try await whole.token(rights), try await part.token(rights))
            let (own, others) = (try await Self.identity(whole), try await Self.identity(part))
            var compared = 0
            for route in Routes.all where route.access == .reader && route.method == "GET" {
                for target in Self.targets(route) {
                    let answer = try await whole.bench.ask("GET", Self.numbered(target, own), headers: guest)
                    let expected = try await part.bench.ask("GET", Self.numbered(target, others), headers: other)
                    let text = Self.plain(answer.text, own)
                    #expect(answer.status == expected.status, "\(target): \(answer.text)")
                    // Which health between two edits is recorded depends on when the service looks.
                    let isOfHealth = target.contains("/health-changes") && answer.status == 200
                    let (found, wanted) = (text, Self.plain(expected.text, others))
                    #expect(isOfHealth ? Self.newestChange(found) == Self.newestChange(wanted) : found == wanted, "\(target)")
                    if route.restricted == .refused { #expect(answer.status == 403) }
                    // An address or a value from the request is repeated in a refusal.
                    for name in Self.names where !target.contains(name) { #expect(!text.contains(name), "\(target): \(text)") }
                    compared += 1
                }
            }
            #expect(compared > 150)
            #expect(try await whole.bench.json("/v1/devices", headers: guest).column("devices", "id") == ["anna"])
            #expect(try await whole.bench.json("/v1/events", headers: guest)["events"]?.array?.isEmpty == false)
        }
    }

    @Test(
        "Routes for admins are closed to restricted tokens, and those for readers that change something show no other device")
    func otherMethods() async throws {
        let household = try await Household(hasHidden: true)
        let tokens = [
            try await household.token(#""role":"reader","device":"anna""#),
            try await household.token(#""role":"ingest","devices":["anna"],"groups":["family"]"#),
        ]
        let circle = #"{"id":"draft","name":"Draft","latitude":52.5,"longitude":13.4,"radius":100}"#
        for route in Routes.all where route.access == .admin || route.method != "GET" && route.access != .open {
            for target in Self.targets(route) {
                for token in tokens {
                    let answer = try await household.bench.ask(route.method, target, body: circle, headers: token)
                    if route.access == .admin { #expect(answer.status == 403, "\(route.method) \(target)") }
                    for name in Self.names where !target.contains(name) {
                        #expect(!answer.text.contains(name), "\(route.method) \(target): \(answer.text)")
                    }
                }
            }
        }
    }

    @Test("A restricted reader acknowledges the alarms of its devices, and finds no others")
    func alarms() async throws {
        let household = try await Household(hasHidden: true)
        let guest = try await household.token(#""role":"reader","device":"anna""#)
        let all = try await household.bench.json("/v1/alarms", headers: household.admin)["alarms"]?.array ?? []
        for alarm in all {
            let id = try #require(alarm["id"]?.string)
            let answer = try await household.bench.ask("POST", "/v1/alarms/\(id):acknowledge?by=Gran", headers: guest)
            if alarm["deviceId"]?.string == "anna" {
                #expect(try answer.json()["alarm"]?["acknowledgedBy"]?.string == "Gran")
            } else {
                #expect(answer.status == 404)
            }
        }
        let open = try await household.bench.json("/v1/alarms?open=true", headers: household.admin)
        #expect(all.count == 2 && open.column("alarms", "deviceId") == ["hidden-bob"])
    }

    @Test("A hidden device is answered like one that does not exist")
    func notFound() async throws {
        let household = try await Household(hasHidden: true)
        let guest = try await household.token(#""role":"reader","device":"anna""#)
        for suffix in ["", "/track", "/health", "/health-changes", "/registry", "/repairs"] {
            let answer = try await household.bench.ask("GET", "/v1/devices/hidden-bob\(suffix)", headers: guest)
            let none = try await household.bench.ask("GET", "/v1/devices/hidden-rob\(suffix)", headers: guest)
            #expect(answer.status == 404 && none.status == 404)
            #expect(answer.text == none.text.replacing("hidden-rob", with: "hidden-bob"))
        }
        for target in ["/v1/events?device=", "/v1/visits?device=", "/v1/status?device=", "/v1/explain?geofence=home&device="] {
            let answer = try await household.bench.ask("GET", target + "hidden-bob", headers: guest)
            let none = try await household.bench.ask("GET", target + "hidden-rob", headers: guest)
            #expect(answer.status == none.status && answer.text == none.text.replacing("hidden-rob", with: "hidden-bob"))
        }
    }

    @Test("Who belongs to a group is looked up at each request")
    func membership() async throws {
        let household = try await Household(hasHidden: true)
        let guest = try await household.token(#""role":"reader","groups":["family"]"#)
        func seen() async throws -> [String] {
            try await household.bench.json("/v1/devices", headers: guest).column("devices", "id")
        }
        func setGroups(_ device: String, _ groups: String) async throws {
            let answer = try await household.bench.ask(
                "PATCH", "/v1/devices/\(device)", body: "{\"groups\":[\(groups)]}", headers: household.admin)
            #expect(answer.status == 200)
        }
        #expect(try await seen() == ["anna"])
        try await setGroups("hidden-bob", #""work","family""#)
        #expect(try await seen() == ["anna", "hidden-bob"])
        #expect(try await household.bench.ask("GET", "/v1/geofences/bobs-den", headers: guest).status == 200)
        try await setGroups("anna", "")
        try await setGroups("hidden-bob", #""work""#)
        #expect(try await seen() == [])
        #expect(try await household.bench.json("/v1/events", headers: guest)["events"] == [])
        #expect(try await household.bench.ask("GET", "/v1/devices/anna", headers: guest).status == 404)
        // Other clients are not affected.
        let all = try await household.bench.json("/v1/devices", headers: household.admin)
        #expect(all.column("devices", "id") == ["anna", "hidden-bob"])
    }

    @Test("The cursors of a restricted reader do not move with events of other devices")
    func cursors() async throws {
        let household = try await Household(hasHidden: true)
        let guest = try await household.token(#""role":"reader","device":"anna""#)
        func places() async throws -> [JSONValue?] {
            let page = try await household.bench.json("/v1/events", headers: guest)
            let next = try #require(page["next"]?.double)
            let rest = try await household.bench.json("/v1/events?after=\(Int(next))", headers: guest)
            let newest = try await household.bench.json("/v1/events?order=newest", headers: guest)
            let store = try await household.bench.json("/v1/status", headers: guest)["store"]
            #expect(rest["events"] == [])
            return [page["next"], page["cursor"], rest["next"], rest["cursor"], newest["next"], store?["newestEvent"]]
        }
        let before = try await places()
        let newest = try await household.bench.json("/v1/status", headers: household.admin)["store"]?["newestEvent"]?.double
        try await household.visit("hidden-bob", day: 3)
        #expect(try await places() == before)
        let after = try await household.bench.json("/v1/status", headers: household.admin)["store"]?["newestEvent"]?.double
        #expect(try #require(after) > #require(newest))
        // A number beyond the newest event reveals nothing either.
        let beyond = try await household.bench.ask("GET", "/v1/events?after=\(Int(try #require(after)) + 1)", headers: guest)
        #expect(beyond.status == 200)
    }

    @Test("A restricted stream carries its devices alone, and none that has left the group")
    func stream() async throws {
        let household = try await Household(hasHidden: true)
        let bench = household.bench
        let guest = try await household.token(#""role":"reader","groups":["family"]"#)
        let token = try #require(try await bench.ask("POST", "/v1/stream-tokens", headers: guest).json()["token"]?.string)
        let received = try await bench.notices("notices=true&positions=all&access_token=\(token)") {
            try await household.visit("hidden-bob", day: 4)
            try await household.make("/osmand?id=hidden-bob&lat=xyz&lon=13.4", nil)
            try await household.make(
                "/v1/geofences",
                #"{"id":"pond","name":"Pond","latitude":50,"longitude":13.4,"radius":100,"devices":["hidden-bob"]}"#)
            let patch = { (groups: String) in
                _ = try await bench.ask("PATCH", "/v1/devices/anna", body: "{\"groups\":[\(groups)]}", headers: household.admin)
            }
            try await patch("")
            try await household.visit("anna", day: 5)
            try await patch("\"family\"")
            try await household.visit("anna", day: 6)
        } until: {
            $0.kind == "exit" && $0.json["geofenceId"] == "home"
        }
        for notice in received {
            let text = notice.json.description
            #expect(!text.contains("hidden-bob") && !text.contains("pond"), "\(notice.kind): \(text)")
            #expect(!text.contains("2026-05-05"), "\(notice.kind): \(text)")
        }
        #expect(received.contains { $0.kind == "enter" } && received.contains { $0.kind == "positions" })
    }

    @Test("A restricted token reports for its devices alone, and learns nothing about others")
    func reports() async throws {
        let household = try await Household(hasHidden: true)
        let bench = household.bench
        let token = try await household.token(#""role":"ingest","device":"car","groups":["family"]"#)
        func status(_ method: String, _ target: String, _ body: String?) async throws -> Int {
            try await bench.ask(method, target, body: body, headers: token).status
        }
        func hidden() async throws -> JSONValue? {
            try await bench.json("/v1/status?device=hidden-bob", headers: household.admin)["devices"]
        }
        let before = try await hidden()
        for (device, expected) in [("anna", 200), ("car", 200), ("hidden-bob", 403), ("nobody", 403)] {
            let position =
                "{\"device\":\"\(device)\",\"timestamp\":\"2026-05-07T10:00:00Z\",\"latitude\":52.5,\"longitude\":13.4}"
            let location =
                "{\"_type\":\"location\",\"topic\":\"owntracks/\(device)\",\"lat\":52.5,\"lon\":13.4,\"tst\":1778148000}"
            #expect(try await status("POST", "/v1/positions", position) == expected, "\(device)")
            #expect(try await status("GET", "/osmand?id=\(device)&lat=52.5&lon=13.4&timestamp=1778148060", nil) == expected)
            #expect(try await status("GET", "/osmand?id=\(device)", nil) == expected)
            #expect(try await status("GET", "/osmand?id=\(device)&lat=52.5&lon=13.4&alarm=sos", nil) == expected)
            #expect(
                try await status("POST", "/owntracks?u=\(device)&d=phone", location) == 403, "\(device)/phone is none of them")
            if expected == 403 {
                #expect(try await status("PUT", "/v1/devices/\(device)/registry", #"{"regions":[]}"#) == 403)
            }
        }
        #expect(try await hidden() == before)
        let devices = try await bench.json("/v1/devices", headers: household.admin).column("devices", "id")
        #expect(devices == ["anna", "car", "hidden-bob"])
        // A member that leaves the group can no longer be reported for.
        _ = try await bench.ask("PATCH", "/v1/devices/anna", body: #"{"groups":[]}"#, headers: household.admin)
        #expect(try await status("GET", "/osmand?id=anna&lat=52.5&lon=13.4&timestamp=1778148120", nil) == 403)
    }

    @Test(
        "An invalid restriction is refused with the field, the reason and what is expected",
        arguments: [
            (#"{"name":"a","role":"admin","devices":["anna"]}"#, "devices"),
            (#"{"name":"a","role":"admin","groups":["family"]}"#, "groups"),
            (#"{"name":"a","role":"admin","device":"anna"}"#, "device"),
            (#"{"name":"a","role":"reader","devices":[]}"#, "devices"), (#"{"name":"a","role":"reader","groups":[]}"#, "groups"),
            (#"{"name":"a","role":"reader","groups":[""]}"#, "groups"),
            (#"{"name":"a","role":"reader","devices":"anna"}"#, "devices"),
            (#"{"name":"a","role":"ingest","devices":["a","\u0000"]}"#, "devices"),
        ])
    func refused(_ body: String, _ field: String) async throws {
        let bench = try ServerBench()
        for language in ["en", "de", "tr"] {
            let answer = try await bench.ask("POST", "/v1/tokens", body: body, headers: ["Accept-Language": language])
            #expect(answer.status == 422)
            let parameters = try answer.json()["parameters"]
            #expect(parameters?["field"]?.string == field, "\(answer.text)")
            #expect(parameters?["expected"]?.string?.isEmpty == false)
        }
        #expect(try await bench.ask("GET", "/v1/tokens").status == 200, "no token was made")
    }
}
