import TestSupport
import Testing

@testable import Model

@Suite struct ValidUTF8Tests {
    @Test(arguments: ["", "a", "é", "東京", "👩‍👩‍👧", "\u{0}", "\u{FFFD}", "e\u{301}"])
    func validBytesAreReadAsTheyAre(_ text: String) throws {
        #expect(String(validUTF8: text.utf8).map { Array($0.utf8) } == Array(text.utf8))
        #expect(String(comparedUTF8: text.utf8).map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(arguments: [[0xFF], [0xC3], [0x61, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func invalidBytesAreRefused(_ bytes: [UInt8]) {
        #expect(String(validUTF8: bytes) == nil)
        #expect(String(comparedUTF8: bytes) == nil)
    }

    @Test func bothWaysAgreeOnRandomBytes() {
        let seed: UInt64 = 17
        var random = SeededRandom(seed: seed)
        // Bytes near the borders of UTF-8's ranges, so that some sequences are valid.
        let candidates: [UInt8] = [0x41, 0x7F, 0x80, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xFF]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in candidates.randomElement(using: &random)! }
            #expect(String(validUTF8: bytes) == String(comparedUTF8: bytes), "seed \(seed), bytes \(bytes)")
        }
    }
}
