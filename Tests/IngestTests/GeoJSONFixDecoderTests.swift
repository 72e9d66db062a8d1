import Geodesy
import Model
import Testing

@testable import Ingest

@Suite("GeoJSON decoder of positions")
struct GeoJSONFixDecoderTests {
    private func collection(_ features: String...) -> String {
        "{\"type\":\"FeatureCollection\",\"features\":[\n\(features.joined(separator: ",\n"))\n]}"
    }

    @Test("Points with times give fixes, and their other properties are kept as attributes")
    func points() {
        let result = decode(
            collection(
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5,30]},"properties":{"time":"2026-05-01T10:00:00Z","deviceId":"a","accuracy":5,"hr":80}}"#,
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.5,52.6]},"properties":{"timestamp":1777629601,"name":"b"}}"#,
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.5,52.6]},"properties":{"datetime":1777629602000}}"#
            ),
            source: "walk.geojson")
        #expect(result.format == .geoJSON && result.refusals.isEmpty && result.problem == nil)
        #expect(result.rows.map(\.device) == ["a", "b", "walk"])
        #expect(result.rows.map(\.line) == [2, 3, 4])
        #expect(result.rows.map(\.attributes) == [#"{"hr":80}"#, nil, nil])
        #expect(result.fixes.first?.altitude == 30 && result.fixes.first?.accuracy == 5)
        #expect(result.fixes.map(\.time.seconds) == [1_777_629_600, 1_777_629_601, 1_777_629_602])
    }

    @Test(
        "Lines get their times from a property beside the coordinates",
        arguments: [
            (#""LineString","coordinates":[[1,2],[3,4,5]]"#, #""coordTimes":["2026-05-01T10:00:00Z",1777629601]"#),
            (#""LineString","coordinates":[[1,2],[3,4,5]]"#, #""coordinateProperties":{"times":[1777629600,1777629601]}"#),
            (#""MultiLineString","coordinates":[[[1,2]],[[3,4,5]]]"#, #""coordTimes":[[1777629600],[1777629601]]"#),
            (#""MultiLineString","coordinates":[[[1,2]],[[3,4,5]]]"#, #""coordTimes":[1777629600,1777629601]"#),
        ])
    func lines(geometry: String, times: String) {
        let text =
            "{\"type\":\"Feature\",\"properties\":{\"name\":\"run\",\(times)},\"geometry\":{\"type\":\(geometry)}}"
        for input in [text, collection(text), "{\"features\":[\(text)],\"type\":\"FeatureCollection\"}"] {
            let result = decode(input, source: "x")
            #expect(
                result.fixes.map(\.coordinate) == [Coordinate(latitude: 2, longitude: 1), Coordinate(latitude: 4, longitude: 3)])
            #expect(result.fixes.map(\.time.seconds) == [1_777_629_600, 1_777_629_601])
            #expect(result.fixes.map(\.altitude) == [nil, 5])
            #expect(result.rows.allSatisfy { $0.device == "run" && $0.attributes == nil })
            expectSameForEveryChunking(Array(input.utf8), source: "x")
        }
    }

    @Test("Positions without times are refused by name, or get the times of the options")
    func untimed() {
        let text = collection(
            #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4],[5,6]]},"properties":{}}"#,
            #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
            #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"properties":{"coordTimes":[1777600001]}}"#
        )
        let result = decode(text, source: "x")
        #expect(result.rows.count == 1)
        #expect(
            result.refusals.map(\.field)
                == [
                    "features[0].properties.coordTimes", "features[1].properties.timestamp",
                    "features[2].properties.coordTimes[1]",
                ])
        #expect(result.refusals[0].reason.description.contains("3 positions without times"))
        var options = DecodingOptions()
        options.start = Instant(milliseconds: 1_777_600_000_000)
        options.interval = 10
        #expect(decode(text, source: "x", options: options).fixes.map { $0.time - options.start! } == [0, 10, 20, 30, 1, 40])
    }

    @Test(
        "A feature without a valid position is refused by name, and the others are decoded",
        arguments: [
            (#"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]},"properties":{}}"#, "features[0].geometry.type"),
            (#"{"type":"Feature","geometry":null,"properties":{}}"#, "features[0].geometry.type"),
            (
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1]},"properties":{"time":1e9}}"#,
                "features[0].geometry.coordinates"
            ),
            (
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,91]},"properties":{"time":1e9}}"#,
                "features[0].geometry.coordinates"
            ),
            (
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"time":"x"}}"#,
                "features[0].properties.time"
            ),
            ("{\"a\":01}", "features[0]"), ("7", "features[0].type"),
        ])
    func refusals(feature: String, field: String) {
        let good = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"time":1e9}}"#
        let result = decode(collection(feature, good), source: "x")
        #expect(result.rows.map(\.line) == [3])
        #expect(result.refusals.map(\.field) == [field] && result.refusals.map(\.line) == [2])
    }

    @Test("A collection without features is reported as such")
    func nothing() {
        let result = decode(collection(), source: "x")
        #expect(result.problem == nil && result.refusals.map(\.field) == ["features"])
    }

    @Test("Consecutive features without a collection are decoded")
    func sequence() {
        let feature = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"time":1e9}}"#
        #expect(decode("\(feature)\n\(feature)\n", source: "x").rows.count == 2)
    }
}
