import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("GPX encoder")
struct GPXEncoderTests {
    @Test("Encoded fixes are decoded to the same fixes", arguments: [UInt64(1), 2, 3])
    func identity(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func maybe(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &random) ? nil : (Double.random(in: range, using: &random) * 1000).rounded() / 1000
        }
        let fixes: [Fix] = (0..<200).map { (number: Int) -> Fix in
            let latitude = Double.random(in: -90...90, using: &random)
            let longitude = number % 10 == 0 ? 1e-7 : Double.random(in: -180...180, using: &random)
            return Fix(
                time: Instant(milliseconds: 1_777_629_600_000 + Int64(number) * 1234),
                coordinate: Coordinate(latitude: latitude, longitude: longitude),
                accuracy: maybe(0...100), altitude: maybe(-400...9000), speed: maybe(0...300), course: maybe(0...359))
        }
        var batch = FixBatch()
        var decoder = FixDecoder(source: "track", options: DecodingOptions(device: "d"))
        let text = GPXEncoder.track(name: "<Anna & \u{1}co>", fixes)
        #expect(!text.contains("e-"))
        try Array(text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
        try decoder.finish(into: &batch)
        #expect(batch.refusals.isEmpty, "seed \(seed)")
        #expect(batch.rows.map(\.fix) == fixes, "seed \(seed)")
    }

    @Test("A track without fixes is a complete document")
    func none() throws {
        #expect(GPXEncoder.track(name: "x", []).hasSuffix("<trk><name>x</name><trkseg>\n</trkseg></trk>\n</gpx>\n"))
    }
}
