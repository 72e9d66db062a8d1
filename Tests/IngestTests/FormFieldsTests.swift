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
            ("a=%25341", ["a=%341"]), ("a=%00", ["a=\u{0}"]),
        ])
    func decoding(text: String, expected: [String]) throws {
        let fields = try #require(FormFields.parse(text))
        #expect(fields.map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test(
        "A field that is not UTF-8 is marked and shows its bytes",
        arguments: [
            ("J%F6rg", "J%F6rg"), ("J\u{1}rg%f6", "J%01rg%F6"), ("%C3", "%C3"), ("a%ff%C3%BC", "a%FF%C3%BC"),
            ("a+b%80", "a%20b%80"),
            ("%ED%A0%80", "%ED%A0%80"),
        ])
    func notUTF8(text: String, shown: String) throws {
        let fields = try #require(FormFields.parse("id=\(text)&n=%C3%B6&\(text)=1"))
        #expect(fields.map(\.isUTF8) == [false, true, false])
        #expect(fields.map(\.value) == [shown, "ö", "1"] && fields[2].name == shown)
        // The bytes themselves, without an escape.
        let raw: [UInt8] = Array("id=J".utf8) + [0xF6] + Array("rg".utf8)
        let field = try #require(raw.withUnsafeBufferPointer { FormFields.parse($0.span) }?.first)
        #expect(field.value == "J%F6rg" && !field.isUTF8)
        let segment = FormFields.decodeSegment(text)
        #expect(!segment.isUTF8)
    }

    @Test(
        "A segment of a path is decoded, and a plus sign is kept",
        arguments: [("a+b%20c", "a+b c"), ("50%", "50%"), ("J%C3%B6rg", "Jörg"), ("a%2Fb", "a/b"), ("", "")])
    func segment(text: String, expected: String) {
        let segment = FormFields.decodeSegment(text)
        #expect(segment.text == expected && segment.isUTF8)
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
