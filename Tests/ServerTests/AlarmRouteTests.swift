import Core
import Model
import Service
import TestSupport
import Testing

@testable import Notifications
@testable import Server

@Suite("Alarms over HTTP")
struct AlarmRouteTests {
    /// Requests that raise an alarm of the device `mia`, or `x/y` for OwnTracks. A request without a body is a GET request.
    ///
    /// The server's clock shows 2026-11-20T12:00:00Z, which is the timestamp 1795176000. The latitude of the last request is
    /// invalid: the server rejects the position and still records the alarm.
    static let alarmRequests: [(target: String, body: String?)] = [
        ("/v1/positions", #"{"device":"mia","timestamp":1795176000,"latitude":52.5,"longitude":13.4,"alarm":"sos"}"#),
        ("/v1/positions", #"{"device":"mia","alarm":"sos"}"#),
        ("/osmand?id=mia&lat=52.5&lon=13.4&timestamp=1795176000&alarm=sos", nil),
        ("/osmand?id=mia&alarm=sos", nil),
        (
            "/osmand",
            #"{"device_id":"mia","location":{"timestamp":1795176000,"coords":{"latitude":52.5,"longitude":13.4},"extras":{"alarm":"sos"}}}"#
        ),
        ("/owntracks?u=x&d=y", #"{"_type":"location","lat":52.5,"lon":13.4,"tst":1795176000,"alarm":"sos","topic":"mia"}"#),
        ("/osmand?id=mia&lat=abc&lon=13.4&alarm=sos", nil),
    ]

    @Test("Each kind of request from phones and trackers can raise one alarm", arguments: alarmRequests.indices)
    func raise(_ index: Int) async throws {
        let (target, body) = Self.alarmRequests[index]
        let bench = try ServerBench()
        // The second request repeats the same alarm, so the server must not record it again.
        for _ in 1...2 {
            let answer = try await bench.ask(body == nil ? "GET" : "POST", target, body: body)
            #expect(answer.status == 200 || answer.status == 422, "\(answer.text)")
        }
        let alarms = try await bench.json("/v1/alarms")["alarms"]?.array ?? []
        let alarm = try #require(alarms.first)
        #expect(alarms.count == 1)
        #expect(alarm["type"]?.string == "alarm" && alarm["cause"]?.string == "reported")
        #expect(alarm["urgency"]?.string == "emergency" && alarm["alarm"]?["kind"]?.string == "sos")
        #expect(alarm["deviceId"]?.string == (target.hasPrefix("/owntracks") ? "x/y" : "mia"))
        #expect(try await bench.json("/v1/events?type=alarm")["events"]?.array == alarms)
    }

    @Test("An alarm of a device without a clock happens when it arrives")
    func noClock() async throws {
        let bench = try ServerBench()
        let body = #"{"device":"mia","timestamp":"0001-01-01T00:00:00Z","latitude":52.5,"longitude":13.4,"alarm":"sos"}"#
        _ = try await bench.ask("POST", "/v1/positions", body: body)
        let alarms = try await bench.json("/v1/alarms")["alarms"]?.array ?? []
        #expect(alarms.compactMap { $0["occurredAt"]?.string } == ["2026-11-20T12:00:00.000Z"])
    }

    @Test("An emergency is found behind a hundred open alarms of another kind")
    func emergencies() async throws {
        let bench = try ServerBench()
        _ = try await bench.ask("GET", "/osmand?id=mia&alarm=sos")
        _ = try await bench.ask("GET", "/osmand?id=late&alarm=sos&lat=52.5&lon=13.4&timestamp=\(1_795_176_000 - 2 * 86_400)")
        for number in 1...3 {
            _ = try await bench.ask(
                "GET", "/osmand?id=late-\(number)&alarm=sos&lat=52.5&lon=13.4&timestamp=\(1_795_176_000 - 2 * 86_400)")
        }
        for number in 1...101 { _ = try await bench.ask("GET", "/osmand?id=tracker-\(number)&alarm=lowBattery") }
        #expect(try await bench.json("/v1/alarms?open=true&limit=100").column("alarms", "deviceId").contains("mia") == false)
        for query in ["emergency=true", "emergency=true&open=true", "emergency=true&open=true&limit=1"] {
            let page = try await bench.json("/v1/alarms?\(query)")
            #expect(page.column("alarms", "deviceId") == ["mia"], "\(query)")
        }
        _ = try await bench.ask("POST", "/v1/alarms/1:acknowledge?by=Ben")
        #expect(try await bench.json("/v1/alarms?emergency=true&open=true")["alarms"] == [])
        #expect(try await bench.json("/v1/alarms?emergency=true").column("alarms", "deviceId") == ["mia"])
    }

    @Test("An alarm without a position gets the device's last one, and the geofences around it")
    func lastPosition() async throws {
        let bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        _ = try await bench.ask("GET", "/osmand?id=mia&alarm=sos")
        let first = try await bench.json("/v1/alarms")["alarms"]?.array?.first
        #expect(first?["fix"] == nil && first?["alarm"]?["inside"]?.array?.isEmpty == true)
        _ = try await bench.ask("GET", "/osmand?id=mia&lat=52.5&lon=13.4&timestamp=1795175990")
        bench.clock.set(bench.clock.now() + 60)
        _ = try await bench.ask("GET", "/osmand?id=mia&alarm=panic")
        let second = try await bench.json("/v1/alarms")["alarms"]?.array?.first
        #expect(second?["fix"]?["latitude"]?.double == 52.5)
        #expect(second?["alarm"]?["inside"]?.array?.first?["geofenceId"]?.string == "home")
    }

    @Test("An alarm stays open until a person acknowledges it, and the first acknowledgment counts")
    func acknowledge() async throws {
        let bench = try ServerBench()
        _ = try await bench.ask("GET", "/osmand?id=mia&alarm=sos")
        let id = try #require(try await bench.json("/v1/alarms?open=true")["alarms"]?.array?.first?["id"]?.string)
        let acknowledged = try await bench.ask("POST", "/v1/alarms/\(id):acknowledge?by=Anna").json()
        #expect(acknowledged["alarm"]?["acknowledgedBy"]?.string == "Anna" && acknowledged["alarm"]?["acknowledgedAt"] != nil)
        #expect(try await bench.ask("POST", "/v1/alarms/\(id):acknowledge?by=Ben").json() == acknowledged)
        #expect(try await bench.json("/v1/alarms?open=true")["alarms"]?.array?.isEmpty == true)
        #expect(try await bench.json("/v1/alarms")["alarms"]?.array?.count == 1)
        #expect(try await bench.ask("POST", "/v1/alarms/none:acknowledge").status == 404)
    }

    @Test("A repeated alarm adds none while the first is open, nor within ten minutes of its acknowledgment")
    func sameAlarm() async throws {
        let bench = try ServerBench()
        /// Raises an alarm, and returns the number of alarms recorded so far.
        func alarmCountAfterRaising(after seconds: Double, _ kind: String = "sos") async throws -> Int {
            bench.clock.set(bench.clock.now() + seconds)
            _ = try await bench.ask("GET", "/osmand?id=mia&alarm=\(kind)")
            return try await bench.json("/v1/alarms")["alarms"]?.array?.count ?? 0
        }
        /// Acknowledges the newest open alarm.
        func acknowledge() async throws {
            let id = try await bench.json("/v1/alarms?open=true")["alarms"]?.array?.first?["id"]?.string ?? ""
            _ = try await bench.ask("POST", "/v1/alarms/\(id):acknowledge")
        }
        #expect(try await alarmCountAfterRaising(after: 0) == 1)
        for _ in 1...3 { #expect(try await alarmCountAfterRaising(after: 1200) == 1) }
        #expect(try await alarmCountAfterRaising(after: 10, "fallDown") == 2)
        try await acknowledge()
        #expect(try await alarmCountAfterRaising(after: 590, "fallDown") == 2)
        #expect(try await alarmCountAfterRaising(after: 20, "fallDown") == 3)
        #expect(try await alarmCountAfterRaising(after: 86_400) == 4, "an open alarm is repeated after a day")
    }

    @Test("The link in the message acknowledges an alarm without a token, and no other key does")
    func link() async throws {
        let bench = try ServerBench()
        _ = try await bench.ask("POST", "/v1/positions", body: #"{"device":"<b>mia","alarm":"sos"}"#)
        // From now on all other requests need a token.
        let admin =
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string ?? ""
        let mine = ["Authorization": "Bearer \(admin)"]
        let id = try #require(
            try await bench.json("/v1/alarms", headers: mine)["alarms"]?.array?.first?["id"]?.string)
        let secret = try await bench.server.api.store.readers.ask { service throws(Problem) in try service.storeSecret() }
        let url = AlarmLinks(address: "", secret: secret).url(ofAlarm: id)
        let page = try await bench.ask("GET", url, headers: ["Accept-Language": "tr"])
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8", "\(page.text)")
        #expect(page.text.contains("ACİL DURUM: &lt;b&gt;mia (SOS)") && page.text.contains("<button>Ben ilgileniyorum</button>"))
        #expect(page.text.contains(#"<a href="tel:112">112</a>"#))
        #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(
            try await bench.json("/v1/alarms?open=true", headers: mine)["alarms"]?.array?.count == 1, "looking changes nothing")
        for wrong in ["/alarms/\(id)", "/alarms/\(id)?key=0", "/alarms/x?key=\(url.suffix(32))"] {
            for method in ["GET", "POST"] { #expect(try await bench.ask(method, wrong).status == 404) }
        }
        let acknowledgment = try await bench.ask("POST", url)
        #expect(
            acknowledgment.status == 200 && acknowledgment.text.contains("Acknowledged 2026-11-20")
                && !acknowledgment.text.contains("<button>"))
        #expect(try await bench.json("/v1/alarms?open=true", headers: mine)["alarms"]?.array?.isEmpty == true)
    }

    @Test("A device's token can raise alarms for its own device only")
    func token() async throws {
        let bench = try ServerBench()
        let admin =
            try await bench.ask("POST", "/v1/tokens", body: #"{"name":"me","role":"admin"}"#).json()["secret"]?.string ?? ""
        let mine = ["Authorization": "Bearer \(admin)"]
        let token =
            try await bench.ask(
                "POST", "/v1/tokens", body: #"{"name":"m","role":"ingest","device":"mia"}"#, headers: mine
            ).json()["secret"]?.string ?? ""
        func send(_ body: String) async throws -> Int {
            Int(try await bench.ask("POST", "/v1/positions", body: body, headers: ["Authorization": "Bearer \(token)"]).status)
        }
        #expect(try await send(#"{"device":"tom","alarm":"sos"}"#) == 403)
        #expect(try await bench.json("/v1/alarms", headers: mine)["alarms"]?.array?.isEmpty == true)
        _ = try await send(#"{"alarm":"sos"}"#)
        #expect(try await bench.json("/v1/alarms", headers: mine).column("alarms", "deviceId") == ["mia"])
    }

    @Test("A late alarm is recorded without an alert, a harmless kind is no emergency, and false and none raise no alarm")
    func kinds() async throws {
        let bench = try ServerBench()
        // The alarm of `a` is more than a day old when the server records it.
        for (device, kind, time) in [
            ("a", "sos", 1_795_089_000), ("b", "lowBattery", 1_795_176_000), ("c", "false", 1_795_176_000),
            ("d", "lowBattery,fallDown", 1_795_176_000), ("e", "none", 1_795_176_000),
        ] {
            _ = try await bench.ask("GET", "/osmand?id=\(device)&lat=52.5&lon=13.4&timestamp=\(time)&alarm=\(kind)")
        }
        let alarms = try await bench.json("/v1/alarms")["alarms"]?.array ?? []
        let urgencies = Dictionary(
            uniqueKeysWithValues: alarms.map { ($0["deviceId"]?.string ?? "", $0["urgency"]?.string ?? "normal") })
        #expect(urgencies == ["a": "normal", "b": "warning", "d": "emergency"])
    }

    @Test("Alarms are erased with their device")
    func erase() async throws {
        let bench = try ServerBench()
        _ = try await bench.ask("GET", "/osmand?id=mia&alarm=sos")
        #expect(try await bench.ask("POST", "/v1/devices/mia:erase").status == 200)
        #expect(try await bench.json("/v1/alarms")["alarms"]?.array?.isEmpty == true)
    }
}
