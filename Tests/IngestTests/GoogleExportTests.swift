import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Exports of Google's location history")
struct GoogleExportTests {
    private static let android = """
        {
          "semanticSegments": [
            {"startTime": "2026-05-01T12:00:00.000+02:00", "endTime": "2026-05-01T14:00:00.000+02:00", "timelinePath": [
              {"point": "52.5300000°, 13.3777000°", "time": "2026-05-01T12:01:00.000+02:00"},
              {"point": "-33.5163°, -70.3777°", "time": "2026-05-01T12:30:00.000+02:00"}]},
            {"startTime": "2026-05-01T14:00:00.000+02:00", "endTime": "2026-05-01T15:00:00.000+02:00",
             "startTimeTimezoneUtcOffsetMinutes": 120, "visit": {"hierarchyLevel": 0, "probability": 0.9, "topCandidate":
             {"placeId": "x", "semanticType": "HOME", "probability": 0.7, "placeLocation": {"latLng": "52.51°, 13.37°"}}}},
            {"startTime": "2026-05-01T14:10:00Z", "endTime": "2026-05-01T14:20:00Z", "visit": {"hierarchyLevel": 1, "topCandidate":
             {"placeLocation": {"latLng": "52.99°, 13.99°"}}}},
            {"startTime": "2026-05-01T13:00:00Z", "endTime": "2026-05-01T13:30:00Z", "activity": {"start": {"latLng": "1.5°, 2.5°"},
             "end": {"latLng": "1.6°, 2.6°"}, "distanceMeters": 9.5, "topCandidate": {"type": "WALKING", "probability": 0}}},
            {"startTime": "2026-05-01T00:00:00Z", "endTime": "2026-05-02T00:00:00Z", "timelineMemory": {"trip": {}}}
          ],
          "rawSignals": [
            {"wifiScan": {"deliveryTime": "2026-05-01T10:00:00Z", "devicesRecords": [{"mac": 1, "rawRssi": -60}]}},
            {"position": {"LatLng": "48.833657°, 2.256223°", "accuracyMeters": 13, "altitudeMeters": 90.5, "source": "WIFI",
             "timestamp": "2026-05-01T11:44:37.000+01:00", "speedMetersPerSecond": 0.5}},
            {"activityRecord": {"probableActivities": [], "timestamp": "2026-05-01T10:00:00Z"}}
          ],
          "userLocationProfile": {"frequentPlaces": [{"placeId": "x", "placeLocation": "52.51°, 13.37°", "label": "HOME"}]}
        }
        """
    private static let ios = """
        [{"endTime":"2026-05-01T14:00:00.000+02:00","startTime":"2026-05-01T12:00:00.000+02:00","timelinePath":[
        {"durationMinutesOffsetFromStartTime":"1","point":"geo:52.530000,13.377700"},{"point":"geo:-1.5,-2.5;u=35","durationMinutesOffsetFromStartTime":"30"}]},
        {"endTime":"2026-05-01T13:00:00Z","startTime":"2026-05-01T12:30:00Z","visit":{"hierarchyLevel":"0","topCandidate":{"placeLocation":"geo:52.51,13.37"}}},
        {"endTime":"2026-05-01T13:30:00Z","startTime":"2026-05-01T13:00:00Z","activity":{"start":"geo:1.5,2.5","end":"geo:1.6,2.6"}},
        {"endTime":"2026-05-01T13:30:00Z","startTime":"2026-05-01T13:00:00Z","visit":{"isTimelessVisit":true,"topCandidate":{"placeLocation":"geo:9,9"}}}]
        """

    private func place(_ fix: Fix) -> String {
        "\(fix.time) \(fix.coordinate.latitude) \(fix.coordinate.longitude) \(fix.accuracy.map { "\($0)" } ?? "-")"
    }

    @Test("The paths, visits, activities and signals of an Android export are positions")
    func androidExport() {
        let result = decode(Self.android, source: "dir/Timeline.json")
        #expect(result.format == .json && result.refusals.isEmpty && result.problem == nil)
        #expect(
            result.fixes.map(place) == [
                "2026-05-01T10:01:00.000Z 52.53 13.3777 -", "2026-05-01T10:30:00.000Z -33.5163 -70.3777 -",
                "2026-05-01T12:00:00.000Z 52.51 13.37 100.0", "2026-05-01T13:00:00.000Z 52.51 13.37 100.0",
                "2026-05-01T13:00:00.000Z 1.5 2.5 -", "2026-05-01T13:30:00.000Z 1.6 2.6 -",
                "2026-05-01T10:44:37.000Z 48.833657 2.256223 13.0",
            ])
        #expect(result.fixes.last?.altitude == 90.5 && result.fixes.last?.speed == 0.5)
        #expect(Set(result.rows.map(\.device)) == ["dir"])
        #expect(result.rows.map(\.line) == [1, 1, 2, 2, 4, 4, 7])
        #expect(
            result.rows.map(\.attributes)
                == ["timelinePath", "timelinePath", "visit", "visit", "activity", "activity", "WIFI"].map {
                    #"{"source":"\#($0)"}"#
                })
        #expect(decode(Self.android, source: "x", options: DecodingOptions(device: "ana")).rows.allSatisfy { $0.device == "ana" })
        expectSameForEveryChunking(Array(Self.android.utf8), source: "x")
    }

    @Test("The members of an Android export may be in any order, on one line or many, even beside a large profile")
    func order() throws {
        let value = try JSONParser.parse(Self.android)
        let expected = Set(decode(Self.android, source: "x").fixes.map(place))
        let members = try #require(value.members)
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let text = JSONValue.object(order.map { members[$0] }).description
            for form in [text, text + "\n", text.replacing(",\"", with: ",\n\"")] {
                let result = decode(form, source: "x")
                #expect(Set(result.fixes.map(place)) == expected && result.problem == nil && result.refusals.isEmpty)
            }
            let long = text.replacing("HOME", with: String(repeating: "x", count: 300_000))
            #expect(Set(decode(long, source: "x", chunks: [4096]).fixes.map(place)) == expected)
        }
    }

    @Test("The offsets of an iOS export are minutes from the start of the segment")
    func iosExport() {
        let result = decode(Self.ios, source: "location-history.json")
        #expect(result.format == .json && result.refusals.isEmpty && result.problem == nil)
        #expect(
            result.fixes.map(place) == [
                "2026-05-01T10:01:00.000Z 52.53 13.3777 -", "2026-05-01T10:30:00.000Z -1.5 -2.5 -",
                "2026-05-01T12:30:00.000Z 52.51 13.37 100.0", "2026-05-01T13:00:00.000Z 52.51 13.37 100.0",
                "2026-05-01T13:00:00.000Z 1.5 2.5 -", "2026-05-01T13:30:00.000Z 1.6 2.6 -",
            ])
        #expect(Set(result.rows.map(\.device)) == ["location-history"])
        expectSameForEveryChunking(Array(Self.ios.utf8), source: "x")
    }

    @Test(
        "A point of a segment that is not a position is refused with the reason, and the others are read",
        arguments: [
            (#"{"point":"52.53°","time":"2026-05-01T10:01:00Z"}"#, "latitude", "52.53°", "not a number"),
            (#"{"point":"geo:91,13","time":"2026-05-01T10:01:00Z"}"#, "latitude", "91", "out of range"),
            (#"{"point":"geo:1,13"}"#, "timestamp", "", "missing"),
            (#"{"time":"2026-05-01T10:01:00Z"}"#, "latitude", "", "missing"),
            (#"{"point":"geo:1,13","durationMinutesOffsetFromStartTime":"soon"}"#, "timestamp", "", "missing"),
        ])
    func badPoint(point: String, field: String, value: String, reason: String) throws {
        let good = #"{"point":"geo:1,2","time":"2026-05-01T10:02:00Z"}"#
        let result = decode(#"[{"startTime":"2026-05-01T10:00:00Z","timelinePath":[\#(point),\#(good)]}]"#, source: "x")
        #expect(result.rows.count == 1 && result.refusals.count == 1)
        let refusal = try #require(result.refusals.first)
        #expect(
            refusal.line == 1 && refusal.field == field && refusal.value == value && refusal.reason.description.contains(reason))
    }

    // MARK: Records.json

    private static let records = """
        {"locations": [{
            "timestampMs": "1555378518327", "latitudeE7": 525163000, "longitudeE7": 133777000, "accuracy": 17, "altitude": 34,
            "velocity": 3, "heading": 270, "verticalAccuracy": 2,
            "activity": [{"timestampMs": "1555378518327", "activity": [{"type": "STILL", "confidence": 100}]}]
          }, {
            "latitudeE7": 425000000, "longitudeE7": 3439967296, "accuracy": 1200, "source": "WIFI", "deviceTag": -577382117,
            "timestamp": "2019-04-16T01:36:18.327Z", "activeWifiScan": {"accessPoints": []}
          }, {
            "timestamp": "2019-04-16T01:38:00Z", "accuracy": 17
          }, {
            "latitudeE7": 3869967296, "longitudeE7": -855000000, "accuracy": -1, "deviceTag": 12, "timestamp": "2019-04-16T01:37:00Z"
          }]}
        """

    @Test("Records.json of Takeout is read, with degrees times 10⁷ and overflows of 32 bits")
    func takeout() {
        let result = decode(Self.records, source: "Takeout/Records.json")
        #expect(result.format == .json && result.problem == nil)
        #expect(
            result.fixes.map(place) == [
                "2019-04-16T01:35:18.327Z 52.5163 13.3777 17.0", "2019-04-16T01:36:18.327Z 42.5 -85.5 1200.0",
                "2019-04-16T01:37:00.000Z -42.5 -85.5 -",
            ])
        #expect(result.fixes[0].altitude == 34 && result.fixes[0].speed == 3 && result.fixes[0].course == 270)
        #expect(result.rows.map(\.device) == ["Records", "Records--577382117", "Records-12"])
        #expect(
            result.rows.map(\.attributes)
                == [#"{"verticalAccuracy":2}"#, #"{"source":"WIFI","deviceTag":-577382117}"#, #"{"deviceTag":12}"#])
        #expect(result.refusals.map(\.line) == [3] && result.refusals.map(\.reason) == [.expecting(.missing, .degreesIn(90))])
        expectSameForEveryChunking(Array(Self.records.utf8), source: "x")
    }

    @Test("Single records, one a line or in an array, give the same positions")
    func recordLines() throws {
        let expected = decode(Self.records, source: "Records.json")
        let list = try #require(JSONParser.parse(Self.records)["locations"]?.array)
        let lines = decode(list.map { $0.description + "\n" }.joined(), source: "Records.ndjson")
        #expect(lines.format == .ndjson && lines.rows == expected.rows && lines.refusals.map(\.line) == [3])
        let array = decode(JSONValue.array(list).description, source: "Records.json")
        #expect(array.rows == expected.rows && array.refusals == expected.refusals)
        let batches = list.map { "{\"locations\":[\($0.description)]}\n" }.joined()
        #expect(decode(batches, source: "Records.json").rows == expected.rows)
    }

    @Test(
        "A degree out of range is refused, even when it is not an overflow", arguments: ["950000000", "2147483647", "5294967296"])
    func outOfRange(number: String) {
        let text = #"{"locations":[{"timestampMs":"1777629600000","latitudeE7":\#(number),"longitudeE7":1}]}"#
        let result = decode(text, source: "x")
        #expect(result.rows.isEmpty && result.refusals.map(\.field) == ["latitudeE7"] && result.refusals.map(\.value) == [number])
    }

    // MARK: Size

    @Test("A long file takes no more memory than a short one", arguments: ["Records", "Timeline"])
    func memory(kind: String) {
        var decoder = FixDecoder(source: .verbatim("\(kind).json"))
        var batch = FixBatch()
        var random = SeededRandom(seed: 3)
        var count = 0
        var rows = 0
        func feed(_ text: String) {
            Array(text.utf8).withUnsafeBufferPointer { bytes in
                #expect(throws: Never.self) { try decoder.decode(bytes, into: &batch) }
            }
            rows += batch.rows.count
            batch.removeAll()
        }
        feed(kind == "Records" ? "{\"locations\": [" : "{\"userLocationProfile\":{}, \"semanticSegments\": [")
        var held = 0
        for piece in 0..<200 {
            var text = ""
            for _ in 0..<100 {
                if count > 0 { text += "," }
                count += 1
                let (latitude, longitude) = (
                    Int.random(in: 0..<900_000_000, using: &random), Int.random(in: 0..<1_800_000_000, using: &random)
                )
                text +=
                    kind == "Records"
                    ? "{\"timestampMs\":\"\(1_555_378_518_327 + count)\",\"latitudeE7\":\(latitude),\"longitudeE7\":\(longitude),\"accuracy\":9}"
                    : "{\"startTime\":\"2026-05-01T10:00:00Z\",\"timelinePath\":[{\"point\":\"1.5°, \(Double(longitude) / 1e7)°\","
                        + "\"time\":\"2026-05-01T10:00:00Z\"}]}"
            }
            feed(text)
            if piece == 10 { held = batch.heldBytes }
        }
        feed("]}")
        #expect(throws: Never.self) { try decoder.finish(into: &batch) }
        #expect(rows == count && batch.refusals.isEmpty)
        #expect(batch.heldBytes <= held + 64 * 1024, "\(batch.heldBytes) bytes held")
    }
}
