import Foundation
import Testing

@testable import Secrets

@Suite("Secret boxes")
struct SecretBoxTests {
    // Encrypted with libsodium's crypto_secretbox_easy, called from Python with ctypes, with the nonce 0, 1, 2 … 23.
    private static let vectors: [(message: String, key: String, sealed: String)] = [
        (
            "hello", "0123456789abcdef0123456789abcdef", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXuvPGdjMT8lWjitnJ/TUVWKRoAmgf"
        ),
        ("no JSON", "s3cr3t", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX6SwjpwrEL/SuVdCRGVRhj5LVc5UNm/E="),
        (
            #"{"_type":"encrypted","data":"QUJD"}"#, "s3cr3t",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXQRNarw66RIDvV/GZXjIsvIeYDKsnpNqNrHoIXyTm5Aa2eFyFDYwBVvJ9eadPD6FhIjYd"
        ),
    ]

    @Test("A box opens with its key, which is padded with zeros", arguments: vectors)
    func opens(_ message: String, _ key: String, _ sealed: String) throws {
        let box = try #require(SecretBox(paddedKey: key))
        #expect(box.open(base64: sealed).map { String(decoding: $0, as: UTF8.self) } == message)
        #expect(box.open(base64: sealed.replacing("=", with: "")) != nil)
    }

    @Test("A box does not open with another key, after a change of its content, or from invalid Base64", arguments: vectors)
    func refuses(_ message: String, _ key: String, _ sealed: String) throws {
        let box = try #require(SecretBox(paddedKey: key))
        #expect(SecretBox(paddedKey: key + "x")?.open(base64: sealed) == nil || key.utf8.count == 32)
        #expect(SecretBox(paddedKey: "other")?.open(base64: sealed) == nil)
        for place in sealed.indices where sealed[place] != "=" {
            var changed = sealed
            changed.replaceSubrange(place...place, with: sealed[place] == "A" ? "B" : "A")
            // The last digit before the padding may contain unused bits.
            let isLast = sealed[sealed.index(after: place)...].allSatisfy { $0 == "=" }
            #expect(isLast || box.open(base64: changed) == nil)
        }
        for cut in 0..<min(40, sealed.utf8.count) { #expect(box.open(base64: String(sealed.prefix(cut))) == nil) }
        for bad in ["", "====", "%%%%", "hello world", String(repeating: "A", count: 39)] {
            #expect(box.open(base64: bad) == nil)
        }
        #expect(box.open([]) == nil)
    }

    @Test("A key has 1 to 32 bytes")
    func keys() {
        #expect(SecretBox(paddedKey: "") == nil)
        #expect(SecretBox(paddedKey: String(repeating: "x", count: 33)) == nil)
        #expect(SecretBox(paddedKey: String(repeating: "ü", count: 16)) != nil)
        #expect(SecretBox(paddedKey: String(repeating: "ü", count: 17)) == nil)
    }

    @Test(
        "Each sealing of a message differs, and the key opens every one",
        arguments: ["", "a", #"{"_type":"cmd","action":"waypoints"}"#])
    func seals(_ text: String) throws {
        let box = try #require(SecretBox(paddedKey: "s3cr3t"))
        let (first, second) = (box.seal(Array(text.utf8)), box.seal(Array(text.utf8)))
        #expect(first != second)
        for sealed in [first, second] {
            #expect(box.open(base64: sealed) == Array(text.utf8))
            #expect(sealed.count % 4 == 0 && Data(base64Encoded: sealed)?.count == 24 + 16 + text.utf8.count)
            #expect(SecretBox(paddedKey: "other")?.open(base64: sealed) == nil)
        }
    }
}
