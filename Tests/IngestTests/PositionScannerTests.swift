import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Position scanner")
struct PositionScannerTests {
    /// The result of reading an object, by the scanner or the parser.
    private struct Outcome: Equatable {
        var reading: [UInt64]
        var time: WrittenTime?
        var device: String?
        var attributes: String?

        init(_ reading: PositionReading, _ device: String?, _ attributes: inout AttributeWriter) {
            self.reading = [
                reading.latitude, reading.longitude, reading.accuracy, reading.altitude, reading.speed, reading.course,
                reading.battery,
            ].map { $0.isNaN ? 0 : $0.bitPattern }
            time = reading.time
            self.device = device
            self.attributes = attributes.isEmpty ? nil : attributes.finish()
        }
    }

    private func scanned(_ bytes: [UInt8], _ scanner: inout PositionScanner) -> Outcome? {
        var attributes = AttributeWriter()
        guard scanner.scan(bytes.span, attributes: &attributes) else { return nil }
        let device = scanner.device.isEmpty ? nil : bytes.span.text(scanner.device)
        return Outcome(scanner.reading, device, &attributes)
    }

    private func parsed(_ bytes: [UInt8]) -> Outcome? {
        guard case .object(let members)? = try? JSONParser.parse(bytes.span) else { return nil }
        var attributes = AttributeWriter()
        let object = JSONReading(members, .own, attributes: &attributes)
        return object.reading.unreadable == nil ? Outcome(object.reading, object.device, &attributes) : nil
    }

    static let samples = [
        #"{"device":"van-7","timestamp":"2026-05-01T10:00:00Z","latitude":52.52,"longitude":13.40,"accuracy":8,"altitude":34,"#
            + #""speed":12.1,"course":90,"battery":0.8,"id":"p-1"}"#,
        #"{ "deviceId" : 7 , "time" : 1777629600.25 , "lat":-1.5e1, "lon":"13.4" , "acc":null,"batt":85,"bearing":-1}"#,
        #"{"id":"x","tst":1777629600123,"lat":1,"lng":2,"alt":"high","sat":[1,2],"ok":true,"off":false,"none":null,"n":-0.5e-3}"#,
        #"{"device":"Ünal","device":"b\u00e4r","timestamp":"2026-05-01 10:00:00","latitude":0.0,"longitude":181,"heading":7}"#,
        #"{"id":null,"device":"a","timestamp":1,"time":2,"latitude":91,"longitude":2,"name":"é","speed":1e400}"#,
        #"{}"#, #"{"device":"","timestamp":0,"latitude":0,"longitude":0,"a":1,"a":2}"#,
    ]

    @Test("The scanner reads usual positions itself")
    func usual() {
        var scanner = PositionScanner()
        for sample in Self.samples.prefix(1) { #expect(scanned(Array(sample.utf8), &scanner) != nil) }
        #expect(scanned(Array(#"{"device":"Ünal","timestamp":1,"lat":1,"lon":2,"sat":7}"#.utf8), &scanner) != nil)
    }

    @Test("The parser reads what the scanner reads, with the same result", arguments: [1, 2, 3, 4] as [UInt64])
    func agreement(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var scanner = PositionScanner()
        var taken = 0
        for _ in 0..<6000 {
            let sample = Array(Self.samples.randomElement(using: &random)!.utf8)
            let input = Mutation.apply(to: sample, most: 3, &random)
            guard let outcome = scanned(input, &scanner) else { continue }
            taken += 1
            // Invalid UTF-8 in a device's name is refused later, when the device gets its number.
            if String(validating: input, as: UTF8.self) == nil { continue }
            #expect(outcome == parsed(input), "\(String(decoding: input, as: UTF8.self)), seed \(seed)")
        }
        #expect(taken > 300)
    }

    @Test("A line is accepted or refused as Foundation's parser does", arguments: [5, 6, 7] as [UInt64])
    func foundation(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<3000 {
            let sample = Array(Self.samples.randomElement(using: &random)!.utf8)
            var input = Mutation.apply(to: sample, most: 2, &random)
            input.removeAll { $0 == 0x0A || $0 == 0x0D }
            // The first lines can only be NDJSON, so the format is recognized, and they contain a part of a position.
            let result = decode(Array("{\"lat\":1}\n{\"lat\":1}\n".utf8) + input, source: "x")
            let text = String(decoding: input, as: UTF8.self)
            guard result.format == .ndjson else { continue }
            let object: [String: Any]?
            do {
                object = try JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
            } catch {
                // Foundation refuses numbers beyond the range of a double, although they are valid JSON.
                if "\(error)".contains("not representable") { continue }
                object = nil
            }
            if let row = result.rows.first {
                #expect(object != nil, "\(text), seed \(seed)")
                for (names, value) in [
                    (["latitude", "lat"], row.fix.coordinate.latitude),
                    (["longitude", "lon", "lng"], row.fix.coordinate.longitude),
                ] {
                    let expected = names.lazy.compactMap { object?[$0] }.compactMap {
                        ($0 as? NSNumber)?.doubleValue ?? Double("\($0)")
                    }
                    .first
                    let wrapped = expected.map { abs($0) > 180 ? $0.remainder(dividingBy: 360) : $0 }
                    #expect(value == wrapped, "\(text), seed \(seed)")
                }
                if let attributes = row.attributes {
                    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(attributes.utf8)) }
                }
            } else if !text.allSatisfy(\.isWhitespace), object?["_type"] == nil {
                #expect(result.refusals.contains { $0.line == 3 }, "\(text), seed \(seed)")
            }
        }
    }
}

/// Damages samples reproducibly.
enum Mutation {
    /// The sample with up to `most` bytes changed, removed, inserted or repeated.
    static func apply(to sample: [UInt8], most: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = sample
        let favourites = Array("\"\\,:;{}[]<>&-+.eE0159 \n\r\t$*#/é\u{0}".utf8) + [0xFF, 0xC3]
        for _ in 0..<Int.random(in: 0...most, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = favourites.randomElement(using: &random)!
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(favourites.randomElement(using: &random)!, at: place)
            default:
                let end = min(bytes.count, place + Int.random(in: 1...20, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            }
        }
        return bytes
    }
}
