import Foundation
import Model
import TestSupport
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    @Test(
        "Valid JSON is parsed, and written again unchanged",
        arguments: [
            "null", "true", "false", "0", "-0", "1.50", "6.02e23", "-1E-7", "\"\"", "\"a\"", "[]", "{}", "[1,[2,{}],\"]\"]",
            #"{"a":{"b":[null]},"a":1}"#, "\"Ünal 🗼\"", #""\"\\\n\t""#, "1e999",
        ])
    func roundTrip(text: String) throws {
        #expect(try JSONParser.parse(text).description == text)
        #expect(try JSONParser.parse(" \n\t\r\(text) ").description == text)
    }

    @Test(
        "Escapes are decoded",
        arguments: [
            (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\uDDFC""#, "🗼"), (#""\/\b\f\n\r\t\\\"""#, "/\u{8}\u{C}\n\r\t\\\""),
        ])
    func escapes(text: String, expected: String) throws {
        #expect(try JSONParser.parse(text) == .string(expected))
    }

    @Test(
        "Invalid JSON is refused with the place of the error",
        arguments: [
            ("", 0), ("nul", 0), ("tru e", 0), ("01", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1e", 2), ("-", 1), ("[1,]", 3),
            ("[1 2]", 3), ("{\"a\" 1}", 5), ("{a:1}", 1), ("{\"a\":1,}", 7), ("\"a", 2), ("\"\u{1}\"", 1), (#""\x""#, 3),
            (#""\ud83d""#, 7), (#""\udc00""#, 7), ("1 1", 2), ("[", 1), ("NaN", 0),
        ])
    func failures(text: String, offset: Int) {
        #expect {
            try JSONParser.parse(text)
        } throws: { error in
            guard let failure = error as? JSONParser.Failure else { return false }
            return failure.offset == offset && !failure.reason.description.isEmpty
        }
    }

    @Test(
        "The nesting of JSON is limited",
        arguments: [(JSONParser.maximumDepth, true), (JSONParser.maximumDepth + 1, false), (1_000_000, false)])
    func depth(levels: Int, isAllowed: Bool) {
        let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        if isAllowed {
            #expect(throws: Never.self) { try JSONParser.parse(text) }
        } else {
            #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(text) }
        }
    }

    @Test("Bytes that are not UTF-8 are refused", arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        #expect(throws: JSONParser.Failure.self) { try text.withUnsafeBufferPointer { try JSONParser.parse($0) } }
    }

    @Test("The parser accepts what Foundation accepts, with the same values", arguments: [1, 2, 3] as [UInt64])
    func foundation(seed: UInt64) {
        let sample = Array(#"{"a":[1,-2.5e3,0.1,true,false,null],"b":{"c":"x\n\u00e9\ud83d\uDDFC","d":"Ü"},"":[{},[]]}"#.utf8)
        let favourites = Array("\"\\,:;{}[]-+.eE0159 \ntfnu/".utf8)
        var random = SeededRandom(seed: seed)
        for _ in 0..<4000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = favourites.randomElement(using: &random)!
                case 1: bytes.remove(at: place)
                default: bytes.insert(favourites.randomElement(using: &random)!, at: place)
                }
            }
            let mine = try? bytes.withUnsafeBufferPointer { try JSONParser.parse($0) }
            let text = String(decoding: bytes, as: UTF8.self)
            let theirs: Any?
            do {
                theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            } catch {
                // Numbers beyond the range of a double are valid JSON.
                if "\(error)".contains("not representable") { continue }
                theirs = nil
            }
            // Foundation accepts a comma before a closing bracket, which RFC 8259 does not allow.
            if mine == nil, text.contains(/,\s*[\]}]/) { continue }
            #expect((mine == nil) == (theirs == nil), "\(text), seed \(seed)")
            guard let mine, let theirs else { continue }
            let again = try? JSONSerialization.jsonObject(with: Data(mine.description.utf8), options: .fragmentsAllowed)
            #expect((theirs as? NSObject) == (again as? NSObject), "\(text), seed \(seed)")
        }
    }
}
