import Foundation
import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

/// The result of decoding a request.
struct Received<Outcome: Equatable>: Equatable {
    var outcome: Outcome
    var rows: [Decoded.Row] = []
    var refusals: [Refusal] = []

    init(_ outcome: Outcome, _ batch: FixBatch) {
        self.outcome = outcome
        rows = batch.decodedRows
        refusals = batch.refusals
    }
}

@Suite("OsmAnd and Traccar Client decoder")
struct OsmAndTests {
    private static let now = Instant("2026-05-01T12:00:00Z")!
    private static let time = Instant("2026-05-01T10:00:00Z")!

    private func receive(
        query: String = "", body: String = "", type: String? = nil, now: Instant = now
    ) throws -> Received<OsmAnd.Outcome> {
        let fields = try #require(FormFields.parse(query))
        var batch = FixBatch()
        let outcome = Array(body.utf8).withUnsafeBufferPointer {
            OsmAnd.decode(query: fields, body: $0, contentType: type, now: now, into: &batch)
        }
        return Received(outcome, batch)
    }

    /// The only position of a request.
    private func position(query: String = "", body: String = "", type: String? = nil) throws -> Decoded.Row {
        let received = try receive(query: query, body: body, type: type)
        #expect(received.outcome == .positions && received.refusals.isEmpty)
        #expect(received.rows.count == 1)
        return try #require(received.rows.first)
    }

    // MARK: The four encodings, as the apps send them

    private static let form = "application/x-www-form-urlencoded; charset=UTF-8"

    @Test("A query gives a position, with its speed in knots (OsmAnd, Traccar Client up to 8)")
    func query() throws {
        let row = try position(
            query: "id=123&lat=52.5&lon=13.4&timestamp=1777629600&accuracy=5&speed=9.7&bearing=90&altitude=34&batt=80&charge=true"
        )
        #expect(row.device == "123" && row.line == 1 && row.attributes == #"{"charge":"true"}"#)
        #expect(
            row.fix
                == Fix(
                    time: Self.time, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 5, altitude: 34,
                    speed: 9.7 / (3600.0 / 1852), course: 90, battery: 0.8))
        #expect(abs((row.fix.speed ?? 0) - 4.990111) < 1e-6)
    }

    @Test("The body of a form has the same keys as a query (Traccar Client 10)", arguments: [form, nil, "text/plain"])
    func formBody(type: String?) throws {
        let text =
            "id=abc+1&lat=52.5&lon=13.4&timestamp=1777629600&accuracy=4.0&speed=0.0&bearing=0.0&altitude=34.0&batt=80.0&motion=true"
        let row = try position(body: text, type: type)
        #expect(row.device == "abc 1" && row.fix.time == Self.time && row.fix.speed == 0 && row.fix.battery == 0.8)
        #expect(row.attributes == #"{"motion":"true"}"#)
        #expect(try position(query: text, body: "\n") == row)
        #expect(try position(query: "id=abc+1", body: text.replacing("id=abc+1&", with: "")) == row)
    }

    private static let client9 =
        #"{"device_id":"123","location":{"timestamp":"2026-05-01T10:00:00.000Z","uuid":"5A0C","event":"motionchange","is_moving":true,"#
        + #""odometer":12.5,"coords":{"latitude":52.5,"longitude":13.4,"accuracy":5,"speed":4.2,"speed_accuracy":0.3,"heading":90,"#
        + #""altitude":34},"battery":{"level":0.8,"is_charging":false},"activity":{"type":"still"},"extras":{"a":[1]}}}"#

    @Test(
        "An object with the position in location has its speed in meters per second (Traccar Client 9)",
        arguments: ["application/json", nil])
    func client9(type: String?) throws {
        let row = try position(body: Self.client9, type: type)
        #expect(row.device == "123")
        #expect(
            row.fix
                == Fix(
                    time: Self.time, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 5, altitude: 34,
                    speed: 4.2, course: 90, battery: 0.8))
        #expect(
            row.attributes
                == #"{"uuid":"5A0C","event":"motionchange","is_moving":true,"odometer":12.5,"speed_accuracy":0.3,"is_charging":false,"#
                + #""activity":{"type":"still"},"extras":{"a":[1]}}"#)
    }

    @Test("A value of −1 means unknown (Traccar Client 9 on a simulator)")
    func unknowns() throws {
        let row = try position(
            body:
                #"{"location":{"mock":true,"coords":{"speed":-1,"latitude":1,"longitude":2,"heading":-1,"floor":null,"accuracy":5},"#
                + #""battery":{"level":-1},"timestamp":"2026-05-01T10:00:00.579Z"},"device_id":658765}"#)
        #expect(row.device == "658765" && row.fix.speed == nil && row.fix.course == nil && row.fix.battery == nil)
        #expect(row.fix.time.milliseconds == Self.time.milliseconds + 579)
        #expect(row.attributes == #"{"mock":true,"floor":null}"#)
    }

    @Test("An array gives a position for each element, with its index in the array")
    func array() throws {
        let received = try receive(
            body: #"[{"id":"1","lat":52.5,"lon":13.4,"timestamp":1777629600,"speed":10,"batt":81},"#
                + #"{"id":2,"lat":"1.5","lon":2.0,"timestamp":1777629600000,"alarm":"sos"}]"#)
        #expect(
            received.outcome == .positions && received.rows.map(\.device) == ["1", "2"] && received.rows.map(\.line) == [1, 2])
        #expect(received.rows.map(\.fix.time) == [Self.time, Self.time])
        #expect(
            received.rows.map(\.fix.speed) == [10 / (3600.0 / 1852), nil] && received.rows.map(\.fix.battery) == [0.81, nil])
        #expect(received.rows.map(\.attributes) == [nil, #"{"alarm":"sos"}"#])
    }

    @Test("Several locations in one object count as an array")
    func locations() throws {
        for name in ["location", "locations"] {
            let received = try receive(
                body:
                    #"{"device_id":"d","\#(name)":[{"coords":{"latitude":1,"longitude":2}},{"coords":{"latitude":91,"longitude":2}},"#
                    + #"{"coords":{"latitude":3,"longitude":2}}]}"#)
            #expect(received.rows.map(\.line) == [1, 3] && received.rows.map(\.device) == ["d", "d"])
            #expect(received.refusals.map(\.line) == [2] && received.refusals.map(\.field) == ["latitude"])
        }
    }

    // MARK: Keys and values

    @Test(
        "Each notation of a time is decoded",
        arguments: [
            "timestamp=1777629600", "timestamp=1777629600000", "timestamp=1777629600.0", "timestamp=2026-05-01T10:00:00Z",
            "timestamp=2026-05-01T12%3A00%3A00.000%2B02:00", "timestamp=2026-05-01T12:00:00+02:00",
            "timestamp=2026-05-01+10:00:00",
            "timestamp=2026-05-01%2010:00:00.000",
        ])
    func times(field: String) throws {
        #expect(try position(query: "id=1&lat=1&lon=2&\(field)").fix.time == Self.time)
    }

    @Test("A number counts seconds below 10¹¹, milliseconds below 10¹⁴, and microseconds above")
    func units() throws {
        func milliseconds(_ number: Int64) throws -> Int64 {
            try position(query: "id=1&lat=1&lon=2&timestamp=\(number)").fix.time.milliseconds
        }
        #expect(try milliseconds(2_147_483_648) == 2_147_483_648_000 && milliseconds(99_999_999_999) == 99_999_999_999_000)
        #expect(try milliseconds(315_964_800_000) == 315_964_800_000 && milliseconds(99_999_999_999_999) == 99_999_999_999_999)
        #expect(try milliseconds(315_964_800_000_000) == 315_964_800_000)
    }

    @Test("A position without a time gets the current time", arguments: ["", "&timestamp="])
    func noTime(field: String) throws {
        #expect(try position(query: "id=1&lat=1&lon=2\(field)").fix.time == Self.now)
        #expect(try position(body: #"{"device_id":"1","location":{"coords":{"latitude":1,"longitude":2}}}"#).fix.time == Self.now)
    }

    @Test(
        "Alternative names of the fields are decoded",
        arguments: ["deviceid=1&location=60.0,30.0", "deviceid=1&location=60.0,+30.0", "device_id=1&lat=60&lon=30"])
    func names(text: String) throws {
        let row = try position(query: "\(text)&heading=7&hacc=8")
        #expect(row.device == "1" && row.fix.coordinate == Coordinate(latitude: 60, longitude: 30))
        #expect(row.fix.course == 7 && row.fix.accuracy == 8 && row.attributes == nil)
    }

    @Test(
        "A battery level is in percent, and below 1 a fraction",
        arguments: [("80", 0.8), ("100.0", 1), ("1", 0.01), ("0.85", 0.85), ("0", 0), ("101", nil)])
    func charge(text: String, expected: Double?) throws {
        #expect(try position(query: "id=1&lat=1&lon=2&batt=\(text)").fix.battery == expected)
    }

    @Test("Unknown fields are kept as attributes, and repeated ones as a list")
    func attributes() throws {
        let row = try position(
            query:
                "id=1&lat=1&lon=2&valid=false&hdop=6.0&cell=257,02,16,2224&cell=257,02,16,2223,-90&driverUniqueId=%22x%22&note=")
        #expect(
            row.attributes
                == #"{"valid":"false","hdop":"6.0","cell":["257,02,16,2224","257,02,16,2223,-90"],"driverUniqueId":"\"x\"","note":""}"#
        )
    }

    @Test("The ID in the query names the device of an object without one")
    func queryNames() throws {
        #expect(try position(query: "id=q", body: #"{"location":{"coords":{"latitude":1,"longitude":2}}}"#).device == "q")
        #expect(try position(query: "id=q", body: #"{"device_id":null,"lat":1,"lon":2}"#).device == "q")
        #expect(try position(query: "deviceid=q", body: #"{"id":"b","lat":1,"lon":2}"#).device == "b")
        #expect(
            try receive(query: "id=q", body: #"[{"lat":1,"lon":2},{"id":"b","lat":1,"lon":2}]"#).rows.map(\.device) == ["q", "b"])
    }

    // MARK: No position

    @Test(
        "A request without a position is a sign of life",
        arguments: [
            ("id=1", ""), ("id=1&batt=50&timestamp=1777629600", ""), ("id=1&lat=&lon=", ""), ("", "id=1"),
            ("", #"{"device_id":"1"}"#), ("", #"{"device_id":"1","location":{"battery":{"level":0.5}}}"#),
            ("id=1&cell=257,02,16,2224", ""), ("id=1", "{}"),
        ])
    func keepAlive(query: String, body: String) throws {
        #expect(try receive(query: query, body: body) == Received(.keepAlive(device: "1"), FixBatch()))
    }

    @Test("A push notification token is reported and not kept")
    func token() throws {
        #expect(
            try receive(body: "id=1&notificationToken=s3cr%3At", type: Self.form)
                == Received(.notificationToken(device: "1"), FixBatch()))
        let row = try position(query: "id=1&lat=1&lon=2&notificationToken=secret")
        #expect(row.attributes == nil)
    }

    @Test(
        "A request without a device is refused",
        arguments: [
            ("lat=1&lon=2", ""), ("id=&lat=1&lon=2", ""), ("", ""), ("", "lat=1"), ("", #"{"lat":1,"lon":2}"#),
            ("", #"{"device_id":true,"location":{"coords":{"latitude":1,"longitude":2}}}"#),
            ("", #"{"device_id":"","lat":1,"lon":2}"#),
        ])
    func missingID(query: String, body: String) throws {
        #expect(try receive(query: query, body: body) == Received(.missingID, FixBatch()))
    }

    @Test("Elements of an array without a device are refused, and the others are decoded")
    func listWithoutDevice() throws {
        let received = try receive(
            body: #"[{"lat":1,"lon":2},{"id":"a","lat":1,"lon":2},{"id":"a"},7,{"id":"\u0007","lat":1,"lon":2}]"#)
        #expect(received.outcome == .positions && received.rows.map(\.line) == [2])
        #expect(received.refusals.map(\.line) == [1, 3, 4, 5])
        #expect(received.refusals.map(\.field) == ["id", "lat", "position", "id"])
        #expect(received.refusals.allSatisfy { $0.reason.description.contains("expected") })
        #expect(try receive(body: #"[{"lat":1,"lon":2},{"lat":1,"lon":2}]"#).outcome == .missingID)
        #expect(try receive(body: "[]") == Received(.positions, FixBatch()))
    }

    @Test(
        "An invalid position is refused with field, value and reason",
        arguments: [
            ("lat=91&lon=2", "lat", "91", "out of range"), ("lat=x&lon=2", "lat", "x", "not a number"),
            ("lat=1", "lon", "", "missing"), ("lon=1", "lat", "", "missing"),
            ("lat=1&lon=2&timestamp=noon", "timestamp", "noon", "not a valid time"),
            ("lat=0&lon=0.0", "lat", "0", "exactly 0"), ("lat=1&lon=2&accuracy=-1", "accuracy", "-1", "negative"),
            ("location=60", "location", "60", "missing"), ("location=a,b", "location", "a,b", "not a number"),
            ("location=60,30,7", "location", "60,30,7", "not a number"), ("location=99,3", "location", "99,3", "out of range"),
            ("lat=1&lon=2&timestamp=1e30", "timestamp", "1e30", "not a valid time"),
            ("lat=NaN&lon=2", "lat", "NaN", "not a number"),
            ("lat=1e999&lon=2", "lat", "1e999", "not a number"),
        ])
    func refusals(text: String, field: String, value: String, reason: String) throws {
        let received = try receive(query: "id=1&\(text)")
        #expect(received.outcome == .positions && received.rows.isEmpty)
        let refusal = try #require(received.refusals.first)
        #expect(received.refusals.count == 1 && refusal.line == 1 && refusal.field == field && refusal.value == value)
        #expect(refusal.reason.description.contains(reason) && refusal.reason.description.contains("expected"))
    }

    @Test(
        "A body in none of the encodings is refused with the reason",
        arguments: [
            ("", "{", "not JSON"), ("", #"{"device_id":"1"} x"#, "not JSON"), ("id=1", "7", "not an object"),
            ("", String(repeating: "a=1&", count: 129), "128 fields"), ("", String(repeating: "[", count: 10_000), "not JSON"),
        ])
    func unreadable(query: String, body: String, reason: String) throws {
        let type = body == "7" ? "application/json; charset=utf-8" : nil
        let received = try receive(query: query, body: body, type: type)
        guard case .unreadable(let said) = received.outcome else {
            Issue.record("\(received.outcome)")
            return
        }
        #expect(said.description.contains(reason) && said.description.contains("expected"))
        #expect(received.rows.isEmpty && received.refusals.isEmpty)
    }

    @Test(
        "An ID that cannot name a device is refused with its field and value",
        arguments: [
            ("id=a%07b&lat=1&lon=2", "id", "a\u{7}b", "control"),
            ("deviceid=" + String(repeating: "x", count: 129), "deviceid", String(repeating: "x", count: 129), "128"),
            (
                "id=e" + String(repeating: "%CC%81", count: 2000), "id", "e" + String(repeating: "\u{301}", count: 2000), "1,024"
            ),
            ("id=J%F6rg&lat=1&lon=2", "id", "J%F6rg", "UTF-8"), ("lat=1&lon=2&deviceid=J%E4rg", "deviceid", "J%E4rg", "UTF-8"),
            ("id=J%EF%BF%BDrg&lat=1&lon=2", "id", "J\u{FFFD}rg", "U+FFFD"),
            ("id=dog5;latt=52.5;x=1", "id", "dog5;latt=52.5;x=1", "other fields"),
            ("id=dog5|x?y=1&lat=1&lon=2", "id", "dog5|x?y=1", "other fields"),
            ("id=a%26b=c&lat=1&lon=2", "id", "a&b=c", "other fields"),
        ])
    func invalidID(query: String, field: String, value: String, reason: String) throws {
        let received = try receive(query: query)
        guard case .invalidID(field, value, let why) = received.outcome else {
            Issue.record("\(received.outcome)")
            return
        }
        #expect(why.description.contains(reason) && why.description.contains("expected"))
        #expect(received.rows.isEmpty && received.refusals.isEmpty)
        // The same in a form.
        #expect(try receive(body: query) == received)
    }

    @Test(
        "Fields with another separator are understood",
        arguments: [
            "id=dog5;lat=52.5163;lon=13.3777;timestamp=1777629600", "id=dog5?lat=52.5163?lon=13.3777?timestamp=1777629600",
            "id=dog5&amp;lat=52.5163&amp;lon=13.3777&amp;timestamp=1777629600",
            "lat=52.5163?lon=13.3777?timestamp=1777629600?id=dog5", "id=dog5,lat=52.5163,lon=13.3777,timestamp=1777629600",
            "id=dog5|lat=52.5163|lon=13.3777|timestamp=1777629600", "id=dog5+lat=52.5163+lon=13.3777+timestamp=1777629600",
            "id=dog5;lat=52.5163&lon=13.3777;timestamp=1777629600", "timestamp=1777629600;location=52.5163,13.3777;deviceid=dog5",
        ])
    func separators(query: String) throws {
        let row = try position(query: query)
        #expect(row.device == "dog5" && row.fix.coordinate == Coordinate(latitude: 52.5163, longitude: 13.3777))
        #expect(row.fix.time == Self.time && row.attributes == nil)
        #expect(try position(body: query) == row)
    }

    @Test("A separator within a value is kept if no field follows it")
    func noSeparator() throws {
        #expect(try position(query: "id=a;b,c?d&lat=1&lon=2").device == "a;b,c?d")
        #expect(try position(query: "id=a&lat=1&lon=2&note=x;y=z").attributes == #"{"note":"x;y=z"}"#)
    }

    @Test("Latitude and longitude can have their long names")
    func longNames() throws {
        let row = try position(query: "id=p&latitude=52.6&longitude=13.4&timestamp=1777629600")
        #expect(row.fix.coordinate == Coordinate(latitude: 52.6, longitude: 13.4) && row.attributes == nil)
        #expect(try position(body: #"[{"id":"p","latitude":52.6,"longitude":13.4,"timestamp":1777629600}]"#) == row)
        let refusal = try #require(try receive(query: "id=p&longitude=13.4").refusals.first)
        #expect(refusal.field == "lat" && refusal.reason.description.contains("missing"))
    }

    @Test(
        "A request with unknown fields and no position is refused, and shows what arrived",
        arguments: [
            ("id=p&breite=52.6&laenge=13.4", "breite=52.6&laenge=13.4"), ("id=p&speed=3&accuracy=5", "speed=3&accuracy=5"),
            ("deviceid=p&gps=52.6,13.4", "gps=52.6,13.4"),
        ])
    func unknownFields(query: String, value: String) throws {
        let received = try receive(query: query)
        let refusal = try #require(received.refusals.first)
        #expect(received.outcome == .positions && received.rows.isEmpty && received.refusals.count == 1)
        #expect(refusal.device == "p" && refusal.kind == .missing && refusal.field == "lat" && refusal.value == value)
        #expect(try receive(body: query) == received)
    }

    @Test("A decimal comma is named", arguments: [("lat", "52,5163"), ("lat", "-0,5"), ("accuracy", "3,0")])
    func decimalComma(field: String, value: String) throws {
        let others = field == "lat" ? "lon=2" : "lat=1&lon=2"
        let refusal = try #require(try receive(query: "id=p&\(others)&\(field)=\(value)").refusals.first)
        #expect(refusal.field == field && refusal.value == value && refusal.reason.description.contains("decimal comma"))
    }

    // MARK: Properties

    @Test("The four encodings of one position give the same fix", arguments: [1, 2, 3] as [UInt64])
    func encodings(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let milliseconds = Int64.random(in: 315_964_800_000...4_000_000_000_000, using: &random)
            let latitude = Double.random(in: -90...90, using: &random)
            let longitude = Double.random(in: -180..<180, using: &random)
            let accuracy = Double.random(in: 0...100, using: &random)
            let percent = Int.random(in: 2...100, using: &random)
            let form = "id=x&lat=\(latitude)&lon=\(longitude)&timestamp=\(milliseconds)&accuracy=\(accuracy)&batt=\(percent)"
            let expected = try position(query: form)
            #expect(
                expected.fix
                    == Fix(
                        time: Instant(milliseconds: milliseconds),
                        coordinate: Coordinate(latitude: latitude, longitude: longitude),
                        accuracy: accuracy, battery: Double(percent) / 100), "seed \(seed)")
            let place = "\"accuracy\":\(accuracy),\"timestamp\":\(milliseconds)"
            let bodies = [
                form,
                "[{\"id\":\"x\",\"lat\":\(latitude),\"lon\":\(longitude),\(place),\"batt\":\(percent)}]",
                "{\"device_id\":\"x\",\"location\":{\"timestamp\":\"\(Instant(milliseconds: milliseconds))\",\"coords\":{\"latitude\":\(latitude),"
                    + "\"longitude\":\(longitude),\"accuracy\":\(accuracy)},\"battery\":{\"level\":\(Double(percent) / 100)}}}",
            ]
            for body in bodies { #expect(try position(body: body) == expected, "\(body), seed \(seed)") }
        }
    }

    @Test("Recorded requests of the apps are decoded", .enabled(if: SharedData.isAvailable(for: "requests of apps")))
    func recorded() throws {
        let queries = try String(contentsOf: SharedData.file("traccar/osmand_query_requests.txt"), encoding: .utf8)
        let outcomes = try queries.split(separator: "\n").map { try receive(query: String($0.dropFirst(2))) }
        #expect(outcomes.count == 11)
        #expect(outcomes.count { $0.outcome == .missingID } == 1)
        #expect(outcomes.count { $0.outcome == .keepAlive(device: "123456") } == 1)
        #expect(outcomes.count { $0.outcome == .positions && $0.rows.count == 1 } == 9)
        let bodies = try String(contentsOf: SharedData.file("traccar/traccar_client_json_bodies.jsonl"), encoding: .utf8)
        let rows = try bodies.split(separator: "\n").map { try position(body: String($0)) }
        #expect(rows.map(\.device) == ["48241179", "48241179", "658765", "8737767034"])
        #expect(rows.map(\.fix.speed) == [0, 0, nil, 18.67] && rows.map(\.fix.course) == [nil, nil, nil, 63])
        #expect(rows.map(\.fix.battery) == [1, 1, nil, 0.79])
        let track = try String(contentsOf: SharedData.file("derived/bike_routeA_MotoG3.osmand.txt"), encoding: .utf8)
        let fixes = try track.split(separator: "\n").map { try position(query: String($0.dropFirst(2))).fix }
        #expect(fixes.count == 2363)
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.time <= $1.time })
    }
}
