import TestSupport
import Testing

@testable import Ingest

@Suite("Decimal numbers")
struct DecimalNumberTests {
    private func parse(_ text: String) -> Double? {
        text.withBytes { DecimalNumber.parse($0, 0..<$0.count) }
    }

    @Test(
        "Hard cases give the same values as the standard library",
        arguments: [
            "0", "-0", "-0.0", "1", "0.1", "52.5200123", "-179.99999999", "9007199254740992", "9007199254740993",
            "9007199254740993.0",
            "1e22", "1e23", "1e-22", "1e-23", "123456789012345678", "1234567890123456789", "12345678901234567890123", "0.3e-5",
            "37.24173816852271556854248046875", "48.16350662940509", "11.564388282625075", "2.2250738585072011e-308",
            "2.2250738585072014e-308", "4.9e-324", "2e-324", "1e-400", "1.7976931348623157e308", "8.5e-00001", "1E5", "1e+5",
            "0.000000000000000000000000000001", "100000000000000000000000.5", "6.02214076e23", "0e999",
        ])
    func hardCases(text: String) {
        #expect(parse(text)?.bitPattern == Double(text)?.bitPattern)
    }

    @Test("Random numbers give the same values as the standard library", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var text = Bool.random(using: &random) ? "-" : ""
            for _ in 0..<Int.random(in: 1...10, using: &random) { text += String(Int.random(in: 0...9, using: &random)) }
            if Bool.random(using: &random) {
                text += "."
                for _ in 0..<Int.random(in: 1...12, using: &random) { text += String(Int.random(in: 0...9, using: &random)) }
            }
            if Int.random(in: 0..<4, using: &random) == 0 { text += "e\(Int.random(in: -330...310, using: &random))" }
            let expected = Double(text).flatMap { $0.isFinite ? $0 : nil }
            #expect(parse(text)?.bitPattern == expected?.bitPattern, "\(text), seed \(seed)")
        }
        for _ in 0..<20_000 {
            let value = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
            guard value.isFinite else { continue }
            #expect(parse("\(value)") == value, "\(value), seed \(seed)")
        }
    }

    @Test(
        "Text that is not a finite number gives nil",
        arguments: [
            "", "-", "+", ".", "e5", "1e", "1e+", "nan", "inf", "-inf", "0x10", "1_000", "1,5", "1 ", " 1", "1.2.3", "--1",
            "1e999", "½",
        ])
    func notNumbers(text: String) {
        #expect(parse(text) == nil)
    }

    @Test(
        "The scanner recognizes the stricter number format of JSON",
        arguments: [
            ("1.5", true), ("-0.5e3", true), ("+1", false), ("01", false),
            (".5", false), ("5.", false), ("-", false), ("0", true), ("00", false), ("1e", false),
        ])
    func json(text: String, isJSON: Bool) {
        #expect(text.withBytes { DecimalNumber.scan($0, 0..<$0.count).isJSON } == isJSON)
    }
}
