import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("JSON decoder")
struct JSONFixDecoderTests {
    private let van =
        #"{"device":"van-7","timestamp":"2026-05-01T10:00:00Z","latitude":52.52,"longitude":13.40,"accuracy":8,"altitude":34,"#
        + #""speed":12.1,"course":90,"battery":0.8,"id":"p-1"}"#
    private let bike = #"{"device_id":7,"tst":1777629600,"lat":1,"lon":2}"#

    @Test("A single object, an array and lines give the same fixes")
    func forms() {
        let pretty = van.replacing(",\"", with: ",\n  \"")
        let expected = decode("\(van)\n\(bike)\n", source: "x")
        #expect(expected.format == .ndjson && expected.rows.map(\.line) == [1, 2])
        #expect(expected.rows.map(\.device) == ["van-7", "7"])
        #expect(expected.rows.map(\.attributes) == [#"{"id":"p-1"}"#, nil])
        #expect(
            expected.fixes.first
                == Fix(
                    time: Instant("2026-05-01T10:00:00Z")!, coordinate: Coordinate(latitude: 52.52, longitude: 13.4), accuracy: 8,
                    altitude: 34, speed: 12.1, course: 90, battery: 0.8))
        let array = decode("[\(van), \(bike)]", source: "x")
        #expect(array.format == .json && array.rows == expected.rows)
        let object = decode(van, source: "x")
        #expect(object.format == .json && object.rows == Array(expected.rows.prefix(1)))
        let lines = decode("[\n\(pretty)\n,\n\(bike)\n]\n", source: "x")
        #expect(lines.rows == expected.rows)
        #expect(decode(pretty, source: "x").rows == Array(expected.rows.prefix(1)))
    }

    @Test("An empty array gives no fixes and no problem")
    func emptyArray() {
        #expect(decode("[]", source: "x") == Decoded(format: .json))
    }

    @Test("A position without a device is left to the caller")
    func nameless() {
        let text = #"{"timestamp":1e9,"latitude":1,"longitude":2}"#
        #expect(decode(text, source: "x").rows.map(\.device) == [nil])
        #expect(decode(text, source: "x", options: DecodingOptions(device: "d")).rows.map(\.device) == ["d"])
    }

    @Test(
        "An invalid position is refused with line, member, value and reason",
        arguments: [
            (#"{"device":"a","timestamp":1e9,"lat":91,"longitude":2}"#, "lat", "91", "it is out of range"),
            (#"{"device":"a","timestamp":1e9,"latitude":"north","longitude":2}"#, "latitude", "north", "it is not a number"),
            (#"{"device":"a","timestamp":1e9,"latitude":1,"longitude":true}"#, "longitude", "true", "it is not a number"),
            (#"{"device":"a","timestamp":1e9,"latitude":1e999,"longitude":2}"#, "latitude", "1e999", "it is not a number"),
            (#"{"device":"a","timestamp":1e9,"longitude":2}"#, "latitude", "", "it is missing"),
            (#"{"device":"a","latitude":1,"longitude":2}"#, "timestamp", "", "it is missing"),
            (#"{"device":"a","time":"now","latitude":1,"longitude":2}"#, "time", "now", "it is not a valid time"),
            (#"{"device":"a","timestamp":1e9,"latitude":1,"longitude":2,"acc":-1}"#, "acc", "-1", "it is negative"),
            (#"{"device":"a","timestamp":1e9,"latitude":0,"longitude":-0.0}"#, "latitude", "0", "exactly 0"),
            (#"{"device":"","timestamp":1e9,"latitude":1,"longitude":2}"#, "device", "", "cannot name a device"),
            (#"{"device":["a"],"timestamp":1e9,"latitude":1,"longitude":2}"#, "device", #"["a"]"#, "cannot name a device"),
            (#"{"device":"a\u0007","timestamp":1e9,"latitude":1,"longitude":2}"#, "device", "a\u{7}", "cannot name a device"),
            (#"{"device":"a","timestamp":1e9"#, "position", #"{"device":"a","timestamp":1e9"#, "it is not JSON"),
            ("7", "position", "7", "it is not an object"),
            (#"{"_type":"encrypted","data":"x"}"#, "_type", "encrypted", "it is encrypted"),
            (#"{"_type":"location","lat":1,"lon":2,"tid":"a"}"#, "tst", "", "it is missing"),
        ])
    func refusals(line: String, field: String, value: String, reason: String) throws {
        let result = decode("\(bike)\n\(line)\n\(bike)\n", source: "x.ndjson")
        #expect(result.rows.map(\.line) == [1, 3])
        let refusal = try #require(result.refusals.first)
        #expect(result.refusals.count == 1)
        #expect(refusal.file == "x.ndjson" && refusal.line == 2 && refusal.field == field && refusal.value == value)
        #expect(refusal.reason.description.contains(reason) && refusal.reason.description.contains("expected"))
    }

    @Test("The time of the fix precedes other times, in JSON and among the properties of GeoJSON")
    func fixTime() {
        let times = #""serverTime":"2026-05-01T10:00:09Z","timestamp":1e9,"deviceTime":1e9,"fixTime":"2026-05-01T10:00:00Z""#
        for names in [
            times, times.replacing(#""timestamp":1e9,"#, with: ""), #""deviceTime":"2026-05-01T10:00:00Z","serverTime":1e9"#,
        ] {
            for text in [
                "{\"deviceId\":7,\(names),\"latitude\":1,\"longitude\":2}",
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},\"properties\":{\"deviceId\":7,\(names)}}",
            ] {
                #expect(decode(text, source: "x").fixes.map(\.time.milliseconds) == [1_777_629_600_000], "\(text)")
            }
        }
        #expect(decode(#"{"id":7,"serverTime":1e9,"lat":1,"lon":2}"#, source: "x").fixes.map(\.time.seconds) == [1e9])
    }

    @Test("The name of a member states the unit of the speed, and Traccar's positions have knots")
    func speedUnits() throws {
        func speed(_ members: String) throws -> Double {
            let flat = decode("{\"device\":\"a\",\"lat\":1,\"lon\":2,\(members)}", source: "x")
            let feature = decode(
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},\"properties\":{\(members)}}",
                source: "x")
            #expect(flat.fixes.map(\.speed) == feature.fixes.map(\.speed) && flat.refusals.isEmpty, "\(members)")
            return try #require(flat.fixes.first?.speed)
        }
        #expect(try speed(#""timestamp":1e9,"speed":36"#) == 36)
        #expect(try speed(#""timestamp":1e9,"speed_kmh":36"#) == 10 && speed(#""timestamp":1e9,"speedKmh":"36""#) == 10)
        #expect(try abs(speed(#""timestamp":1e9,"speed_knots":36"#) - 18.52) < 1e-9)
        #expect(try speed(#""timestamp":1e9,"speed_kmh":36,"speed":5"#) == 5)
        #expect(try abs(speed(#""fixTime":1e9,"deviceTime":1e9,"speed":36"#) - 18.52) < 1e-9)
        #expect(try speed(#""fixTime":1e9,"speed":36"#) == 36)
    }

    @Test("What was exported of a device gives its positions again, with their attributes but without their alarms")
    func exported() {
        let result = decode(
            """
            {"device":{"id":"anna","name":"Anna"}}
            {"state":{"deviceId":"anna"}}
            {"fix":{"timestamp":"2026-05-01T10:00:00.000Z","latitude":1,"longitude":2,"accuracy":5,"late":true,"attributes":{"alarm":"sos","speed":"x"}}}
            {"fix":{"timestamp":"2026-05-01T10:00:01.000Z","latitude":1,"longitude":2,"valid":false,"attributes":{"valid":"0"}}}
            {"fix":{"timestamp":"2026-05-01T10:00:02.000Z","latitude":100,"longitude":2}}
            {"event":{"type":"enter"}}
            {"summary":{"fix":3}}

            """, source: "x")
        #expect(result.rows.map(\.device) == ["anna", "anna"] && result.rows.map(\.line) == [3, 4])
        #expect(result.rows.map(\.attributes) == [#"{"alarm":"sos","speed":"x"}"#, #"{"valid":"0"}"#])
        #expect(result.fixes.map(\.accuracy) == [5, nil] && result.fixes.map(\.speed) == [nil, nil])
        #expect(result.refusals.map(\.line) == [5] && result.refusals.map(\.field) == ["latitude"])
        // Without the line of the device, the option may name it.
        let line = #"{"fix":{"timestamp":1e9,"latitude":1,"longitude":2}}"# + "\n"
        #expect(decode(line, source: "x").rows.map(\.device) == [nil])
        #expect(decode(line, source: "x", options: DecodingOptions(device: "b")).rows.map(\.device) == ["b"])
        #expect(decode(#"{"event":{"type":"enter"}}"# + "\n", source: "x").refusals.count == 1)
    }

    @Test("NDJSON is recognized in spite of a broken first line")
    func brokenFirst() {
        let result = decode("{\"device\":\"a\",\n\(bike)\n\(bike)\n", source: "x")
        #expect(result.format == .ndjson && result.rows.map(\.line) == [2, 3] && result.refusals.map(\.line) == [1])
    }

    @Test("Other messages of OwnTracks are skipped")
    func otherMessages() {
        let result = decode(
            "\(bike)\n{\"_type\":\"lwt\",\"tst\":1e9}\n{\"_type\":\"transition\",\"lat\":1,\"lon\":1,\"tst\":1e9}\n")
        #expect(result.rows.count == 1 && result.refusals.isEmpty)
    }

    @Test("A recording of OwnTracks names the device by topic, tracker ID or file")
    func recording() {
        let text =
            "2026-05-01T10:00:00Z\t*                 \t{\"_type\":\"location\",\"tst\":1777629600,\"lat\":1,\"lon\":2,\"tid\":\"jj\","
            + "\"topic\":\"owntracks/jane/phone\",\"vel\":36,\"batt\":50}\n"
            + "2026-05-01T10:00:01Z\tlwt               \t{\"_type\":\"lwt\",\"tst\":1e9}\n2026-05-01T10:00:02Z\tstatus\tonline\n"
            + "2026-05-01T10:00:03Z\t*                 \t{\"_type\":\"location\",\"tst\":1777629603,\"lat\":1,\"lon\":2,\"tid\":\"jj\"}\n"
            + "2026-05-01T10:00:04Z\t*                 \t{\"_type\":\"location\",\"tst\":1777629604,\"lat\":1,\"lon\":2}\n"
        let result = decode(text, source: "rec/2026-05.rec")
        #expect(result.format == .ownTracksRec && result.refusals.isEmpty)
        #expect(result.rows.map(\.device) == ["jane/phone", "jj", "rec"])
        #expect(result.rows.map(\.line) == [1, 4, 5])
        #expect(result.fixes.first?.speed == 10 && result.fixes.first?.battery == 0.5)
        #expect(result.rows.first?.attributes == #"{"tid":"jj"}"#)
        expectSameForEveryChunking(Array(text.utf8), source: "x.rec")
    }

    @Test(
        "A file that is cut off or not a list is reported, after the fixes before the error",
        arguments: [
            ("[\(bikeText),", 1, 1), ("[\(bikeText),\n{\"device\":", 1, 2), ("[\(bikeText)}", 0, 1), ("[\(bikeText)]x", 1, 1),
            ("[\(bikeText),\n,]", 1, 2), ("[\(bikeText),\n]", 1, 2),
        ])
    func broken(text: String, fixes: Int, line: Int) {
        let result = decode(text, source: "x")
        #expect(result.rows.count == fixes)
        guard case .decodingFailed("x", line, _)? = result.problem else {
            Issue.record("\(String(describing: result.problem))")
            return
        }
    }

    private static let bikeText = #"{"device_id":7,"tst":1777629600,"lat":1,"lon":2}"#

    @Test("The result does not depend on how the input is split")
    func chunking() {
        for text in [
            "[\(van),\n {\"a\":\"]},{\\\"\"} , \(bike),[1],\"x,y\", 5 ]", "\(van)\n\(bike)\r\n\n{\"x\":\n\(van)",
            "[\(van),\(bike)", van,
            "{\"device\":\"a\",\n\"timestamp\":1e9,\"latitude\":1,\"longitude\":2}", "[[[", "{\"a\":1}}",
        ] {
            expectSameForEveryChunking(Array(text.utf8), source: "x")
        }
    }

    @Test("An element above the size limit is a problem")
    func tooLarge() {
        let text = "[{\"a\":\"" + String(repeating: "x", count: JSONElementSplitter.maxElementBytes + 1) + "\"}]"
        #expect(decode(text, source: "x", chunks: [1 << 20]).problem?.code == "tooLarge")
        #expect(decode(text, source: "x").problem?.code == "tooLarge")
    }
}
