import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Damaged input")
struct FuzzTests {
    private static let samples: [[UInt8]] = [
        "device,timestamp,latitude,longitude,accuracy,note\na,2026-05-01T10:00:00Z,52.5,13.4,5,\"x,\"\"y\"\"\nz\"\nb,1777629600,1,2,,\n",
        "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><ele>3</ele><time>2026-05-01T10:00:00Z</time>"
            + "<extensions><a:b c=\"d\">7</a:b></extensions></trkpt><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>",
        "# log\n$GPGGA,132820.60,4134.49821229,N,09345.03351845,W,2,09,1.0,278.020,M,-31.442,M,7.6,0133*7E\n"
            + "$GPRMC,132820.60,A,4134.49821229,N,09345.03351845,W,3.252,92.308,180320,11.5985,E,D*1A\r\n",
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]},"
            + "\"properties\":{\"coordTimes\":[1,\"2026-05-01T10:00:00Z\"]}},{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\","
            + "\"coordinates\":[5,6]},\"properties\":{\"time\":1,\"radius\":5}}],\"crs\":null}",
        PositionScannerTests.samples.joined(separator: "\n"), "[\(PositionScannerTests.samples.joined(separator: ",\n"))]",
        "2026-05-01T10:00:00Z\t*                 \t{\"_type\":\"location\",\"tst\":1777629600,\"lat\":1,\"lon\":2,\"topic\":\"owntracks/a/b\"}\n",
    ].map { Array($0.utf8) }

    @Test("Nothing crashes, and every cut gives the same", arguments: [11, 12, 13, 14] as [UInt64])
    func mutations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<400 {
            let input = Mutation.apply(to: Self.samples.randomElement(using: &random)!, most: 6, &random)
            let whole = decode(input, source: "x")
            let chunks = (0..<5).map { _ in Int.random(in: 1...40, using: &random) }
            #expect(
                decode(input, source: "x", chunks: chunks) == whole, "\(String(decoding: input, as: UTF8.self)), seed \(seed)")
            for row in whole.rows {
                #expect(row.fix.coordinate.isValid, "seed \(seed)")
                if let attributes = row.attributes {
                    #expect(throws: Never.self) { try JSONParser.parse(attributes) }
                }
            }
            _ = try? input.withUnsafeBufferPointer { try GeofenceDecoder.decode($0, source: "x") }
        }
    }

    @Test("Noise is refused", arguments: [21, 22] as [UInt64])
    func noise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let result = decode(input, source: "x")
            #expect(result.rows.isEmpty)
            #expect(decode(input, source: "x", chunks: [1]) == result, "seed \(seed)")
        }
    }

    @Test(
        "Real files, damaged, do no harm", .enabled(if: SharedData.isThere(for: "damaging of real files")),
        arguments: [
            "gpx/savannah_apple_watch.gpx", "gpx/visnjan_car_etrex20.gpx", "nmea/gpsd_triton400.nmea", "nmea/gpsd_bt451.nmea",
            "csv/zurich_phone_accuracy.csv", "fences/limerick_stops_304.geojson", "owntracks/traccar_owntracks_http_bodies.jsonl",
            "odd/opentracks_pause_resume.gpx", "odd/gpx10_speed_course.gpx",
        ])
    func realFiles(path: String) throws {
        let sample = try contents(of: SharedData.file(path))
        var random = SeededRandom(seed: 31)
        for _ in 0..<20 {
            let input = Mutation.apply(
                to: Array(sample.prefix(Int.random(in: 0...sample.count, using: &random))), most: 20, &random)
            let whole = decode(input, source: path)
            #expect(decode(input, source: path, chunks: [1, 100, 13]) == whole)
        }
    }
}
