import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Positions that apps nest in an object")
struct NestedPositionTests {
    private static func coords(_ latitude: String, _ second: Int) -> String {
        #"{"coords":{"latitude":\#(latitude),"longitude":13.3777,"accuracy":12,"speed":-1,"heading":-1,"altitude":34},"#
            + #""timestamp":"2026-05-01T10:00:0\#(second).123Z","uuid":"u\#(second)","battery":{"level":0.8,"is_charging":false}}"#
    }
    private static let first = coords("52.53", 1)
    private static let second = coords("52.54", 2)

    /// All forms of a batch, with the number of positions.
    private static let batches = [
        (#"{"locations":[\#(first),\#(second)]}"#, 2),
        (#"{"locations":[{"location":\#(first)},{"location":\#(second)}]}"#, 2), ("[\(first),\(second)]", 2),
        (#"[{"location":\#(first)},{"location":\#(second)}]"#, 2), (first, 1), (#"{"location":\#(first)}"#, 1),
    ]

    private static let expected = [("52.53", 1), ("52.54", 2)].map { latitude, second in
        Fix(
            time: Instant("2026-05-01T10:00:0\(second).123Z")!,
            coordinate: Coordinate(latitude: Double(latitude)!, longitude: 13.3777),
            accuracy: 12, altitude: 34, battery: 0.8)
    }

    private func receive(_ body: String, query: String = "id=app1") -> (OsmAnd.Outcome, FixBatch) {
        var batch = FixBatch()
        let fields = Array(query.utf8).withUnsafeBufferPointer { FormFields.parse($0.span) } ?? []
        let outcome = Array(body.utf8).withUnsafeBufferPointer {
            OsmAnd.decode(query: fields, body: $0, contentType: nil, now: Instant(milliseconds: 0), into: &batch)
        }
        return (outcome, batch)
    }

    @Test("Every form of a batch of background geolocation gives the same positions", arguments: batches)
    func forms(text: String, count: Int) {
        let expected = Array(Self.expected.prefix(count))
        for form in [text, text + "\n", text.replacing(",\"", with: ",\n  \"")] {
            let result = decode(form, source: "x", options: DecodingOptions(device: "app1"))
            #expect(result.fixes == expected && result.refusals.isEmpty && result.problem == nil, "\(form)")
            #expect(result.rows.map(\.line) == Array(1...count))
            let (outcome, batch) = receive(form)
            #expect(outcome == .positions && batch.decodedRows.map(\.fix) == expected && batch.refusals.isEmpty, "\(form)")
            #expect(batch.decodedRows.allSatisfy { $0.device == "app1" } && batch.rows.map(\.line) == Array(1...count))
        }
        expectSameForEveryChunking(Array(text.utf8), source: "x")
    }

    @Test("A position that Traccar forwards is one of the device with that unique id, with its attributes, at both addresses")
    func traccar() {
        let text = """
            {"position":{"id":31,"attributes":{"batteryLevel":71,"battery":3.9,"alarm":"sos","ignition":true,"speed":1},"deviceId":4,\
            "protocol":"teltonika","serverTime":"2026-05-01T10:00:09.000+00:00","deviceTime":"2026-05-01T10:00:08.000+00:00",\
            "fixTime":"2026-05-01T10:00:01.000+00:00","outdated":false,"valid":true,"latitude":52.53,"longitude":13.3777,\
            "altitude":34.0,"speed":36.0,"course":204.0,"address":null,"accuracy":0.0,"network":null,"geofenceIds":[3]},\
            "device":{"id":4,"attributes":{"x":1},"name":"Van 7","uniqueId":"862531040012345","status":"online","disabled":false}}
            """
        let expected = Fix(
            time: Instant("2026-05-01T10:00:01Z")!, coordinate: Coordinate(latitude: 52.53, longitude: 13.3777), accuracy: 0,
            altitude: 34, speed: 36 * 1852 / 3600, course: 204, battery: 0.71)
        let file = decode(text, source: "x")
        let (outcome, batch) = receive(text, query: "")
        #expect(outcome == .positions && file.refusals.isEmpty && batch.refusals.isEmpty)
        for rows in [file.rows, batch.decodedRows] {
            #expect(rows.map(\.fix) == [expected] && rows.map(\.device) == ["862531040012345"])
            let attributes = rows.first?.attributes ?? ""
            #expect(attributes.contains(#""ignition":true"#) && attributes.contains(#""protocol":"teltonika""#))
            #expect(!attributes.contains("\"id\"") && !attributes.contains("deviceId") && !attributes.contains("geofenceIds"))
        }
        #expect(batch.alarms.map(\.kind) == ["sos"])
        // A number as the unique id is the device as well, and a position without its device is refused.
        let number = text.replacing("\"862531040012345\"", with: "862531040012345")
        #expect(decode(number, source: "x").rows.map(\.device) == ["862531040012345"])
        #expect(decode(text.replacing("uniqueId", with: "other"), source: "x").rows.isEmpty)
        expectSameForEveryChunking(Array(text.utf8), source: "x")
    }

    @Test("The members beside the list apply to each of its positions")
    func enclosing() {
        let text = #"{"device_id":"van","locations":[\#(Self.first),\#(Self.second)],"note":5}"#
        let result = decode(text, source: "x")
        #expect(result.rows.map(\.device) == ["van", "van"])
        #expect(receive(text, query: "").1.decodedRows.map(\.device) == ["van", "van"])
        // The next object has no part in it.
        let next = decode(#"{"device_id":"van","locations":[\#(Self.first)]}{"locations":[\#(Self.second)]}"#, source: "x")
        #expect(next.rows.map(\.device) == ["van", nil])
    }

    @Test("−1 means unknown, and another form of a position refuses a negative accuracy")
    func unknown() {
        let text = #"{"coords":{"latitude":1,"longitude":2,"accuracy":-1,"speed":-1,"heading":-1},"timestamp":1777629600}"#
        #expect(
            decode(text, source: "x").fixes == [
                Fix(time: Instant(milliseconds: 1_777_629_600_000), coordinate: Coordinate(latitude: 1, longitude: 2))
            ])
        #expect(
            decode(#"{"latitude":1,"longitude":2,"accuracy":-1,"timestamp":1777629600}"#, source: "x").refusals.map(\.field) == [
                "accuracy"
            ])
    }

    @Test("A separate position may have an object with the name location")
    func ownLocation() {
        let result = decode(#"{"device":"a","timestamp":1777629600,"lat":1,"lon":2,"location":{"name":"x"}}"#, source: "x")
        #expect(result.rows.map(\.device) == ["a"] && result.rows.map(\.attributes) == [#"{"location":{"name":"x"}}"#])
    }

    // MARK: Overland

    private static func feature(_ latitude: String, _ second: Int, device: String = "phone") -> String {
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.3777,\#(latitude)]},"properties":{"#
            + #""timestamp":"2026-05-01T10:00:0\#(second)Z","altitude":34,"speed":-1,"horizontal_accuracy":30,"vertical_accuracy":-1,"#
            + #""motion":["driving"],"battery_state":"charging","battery_level":0.89,"device_id":"\#(device)","wifi":""}}"#
    }
    private static let overland =
        #"{"locations":[\#(feature("52.53", 1)),\#(feature("52.54", 2))],"current":\#(feature("9", 9)),"#
        + #""trip":{"distance":5,"mode":"walk","start_location":\#(feature("8", 8))}}"#

    @Test("A batch of Overland is read, without its current position and trip")
    func overland() {
        let expected = [(52.53, 1), (52.54, 2)].map { latitude, second in
            Fix(
                time: Instant("2026-05-01T10:00:0\(second)Z")!, coordinate: Coordinate(latitude: latitude, longitude: 13.3777),
                accuracy: 30,
                altitude: 34, battery: 0.89)
        }
        for text in [Self.overland, Self.overland + "\n"] {
            let result = decode(text, source: "x")
            #expect(result.fixes == expected && result.refusals.isEmpty && result.problem == nil)
            #expect(result.rows.map(\.device) == ["phone", "phone"])
            let (outcome, batch) = receive(text, query: "")
            #expect(outcome == .positions && batch.decodedRows.map(\.fix) == expected && batch.refusals.isEmpty)
            #expect(batch.decodedRows.map(\.device) == ["phone", "phone"])
        }
        #expect(
            decode(Self.overland, source: "x").rows.first?.attributes
                == #"{"vertical_accuracy":-1,"motion":["driving"],"battery_state":"charging","wifi":""}"#)
        expectSameForEveryChunking(Array(Self.overland.utf8), source: "x")
    }

    @Test("An empty name of Overland's device counts as no name, and −1 is an unknown accuracy")
    func namelessOverland() {
        let text =
            #"{"locations":[\#(Self.feature("1", 1, device: "").replacing("\"horizontal_accuracy\":30", with: "\"horizontal_accuracy\":-1"))]}"#
        #expect(decode(text, source: "x").rows.map(\.device) == [nil] && decode(text, source: "x").fixes.map(\.accuracy) == [nil])
        #expect(receive(text).1.decodedRows.map(\.device) == ["app1"])
        #expect(receive(text, query: "").0 == .missingID)
    }

    @Test("A feature that is not a position is refused")
    func badFeature() {
        for (from, to, field) in [("52.53", "null", "latitude"), ("52.53", "91", "latitude"), ("2026", "x", "timestamp")] {
            let text = Self.overland.replacing(from, with: to)
            let refusals = decode(text, source: "x").refusals
            #expect(refusals.first?.field == field && refusals.first?.line == 1, "\(from)")
        }
    }

    // MARK: Objects of no known kind

    @Test(
        "A file of objects without a position is refused once, with their members",
        arguments: [
            (#"{"a":1}"#, "a"), (#"{"timelineObjects":[{"placeVisit":{"name":"x"}}],"b":{}}"#, "timelineObjects, b"),
            ("[\(Array(repeating: #"{"name":"x","kind":{"lat":1}}"#, count: 5000).joined(separator: ","))]", "name, kind"),
            (Array(repeating: "{\"level\":3}\n", count: 150).joined(), "level"), (#"{"locations":[{"x":1},{"y":[]}]}"#, "x, y"),
            ("[1,[2],\"a\"]", nil), ("{\"\(String(repeating: "n", count: 200))\":1}", String(repeating: "n", count: 39) + "…"),
        ] as [(String, String?)])
    func foreign(text: String, names: String?) throws {
        let result = decode(text, source: "x.json")
        #expect(result.rows.isEmpty && result.refusals.count == 1)
        let refusal = try #require(result.refusals.first)
        #expect(refusal.line == nil && refusal.file == "x.json" && refusal.value.isEmpty)
        #expect(
            refusal.reason == .expecting(.objectsWithoutPosition(names?.components(separatedBy: ", ") ?? []), .positionsInJSON))
        for chunks in [[1], [100, 7]] { #expect(decode(text, source: "x.json", chunks: chunks) == result) }
    }

    @Test("Objects without a position are refused one by one in a file that has positions")
    func someForeign() {
        let good = #"{"timestamp":1777629600,"lat":1,"lon":2}"#
        let foreign = Array(repeating: #"{"name":"x"}"#, count: 50)
        for list in [foreign + [good], [good] + foreign, [good] + foreign + foreign + foreign] {
            let result = decode("[\(list.joined(separator: ","))]", source: "x")
            #expect(result.rows.count == 1 && result.refusals.count == list.count - 1)
            #expect(result.refusals.allSatisfy { $0.line != nil && $0.field == "timestamp" })
            expectSameForEveryChunking(Array("[\(list.joined(separator: ","))]".utf8), source: "x")
        }
    }

    @Test("A large object without a list of positions is refused with the names of its members")
    func largeForeign() {
        let text =
            #"{"a":1,"timelineObjects":["# + Array(repeating: #"{"b":[1,2,3]}"#, count: 100_000).joined(separator: ",") + "]}"
        for chunks in [nil, [65_536], [999_983]] {
            #expect(
                decode(text, source: "x", chunks: chunks).problem
                    == .decodingFailed(
                        source: "x", line: 1,
                        reason: .expecting(.objectsWithoutPosition(["a", "timelineObjects"]), .positionsInJSON)))
        }
    }
}

extension String {
    /// The parts between the occurrences of a text.
    fileprivate func components(separatedBy text: String) -> [String] { split(separator: text).map(String.init) }
}
