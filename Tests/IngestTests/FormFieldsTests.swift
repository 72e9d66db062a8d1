import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Form fields")
struct FormFieldsTests {
    @Test(
        "Fields are decoded, in their order",
        arguments: [
            ("a=1&b=2", ["a=1", "b=2"]), ("a=1&a=2", ["a=1", "a=2"]), ("a=x+y%20z%2b%2B", ["a=x y z++"]), ("a", ["a="]),
            ("=1", ["=1"]), ("a=b=c", ["a=b=c"]), ("&&a=1&&", ["a=1"]), ("", []), ("n%C3%BC=%e2%82%ac", ["nü=€"]),
            // Invalid escapes are kept.
            ("a=100%", ["a=100%"]), ("a=%4", ["a=%4"]), ("a=%4&b=1", ["a=%4", "b=1"]), ("a=%zz%41", ["a=%zzA"]),
            ("%=%%", ["%=%%"]),
            ("a=%25341", ["a=%341"]), ("a=%ff%c3", ["a=\u{FFFD}\u{FFFD}"]), ("a=%00", ["a=\u{0}"]),
        ])
    func decoding(text: String, expected: [String]) throws {
        let fields = try #require(FormFields.parse(text))
        #expect(fields.map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test("A form with too many fields is refused")
    func limit() {
        let most = Array(repeating: "a=1", count: FormFields.maxFields).joined(separator: "&")
        #expect(FormFields.parse(most)?.count == FormFields.maxFields)
        #expect(FormFields.parse((most + "&a=1")) == nil)
    }

    @Test("An encoded form is decoded to the same fields", arguments: [1, 2] as [UInt64])
    func roundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("aZ0 &=+%é€\u{0}😀;,\n")
        func word(_ random: inout SeededRandom) -> String {
            String((0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
        }
        func escaped(_ text: String) -> String {
            text.utf8.map { byte in
                if byte == 0x20 { return "+" }
                let isPlain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
                let hex = String(byte, radix: 16)
                return isPlain ? String(UnicodeScalar(byte)) : "%\(hex.count == 1 ? "0" : "")\(hex)"
            }.joined()
        }
        for _ in 0..<300 {
            let fields = (0..<Int.random(in: 1...9, using: &random)).map { _ in FormField(word(&random) + "n", word(&random)) }
            let text = fields.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
            #expect(FormFields.parse(text) == fields, "\(text), seed \(seed)")
        }
    }
}
