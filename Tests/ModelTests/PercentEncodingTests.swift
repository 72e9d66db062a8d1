import Foundation
import Model
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    /// The unreserved characters of RFC 3986, 2.3.
    private static let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"

    @Test("The escaped bytes are those that Foundation escapes, and one byte can be kept", arguments: ["", ":"])
    func escaped(kept: String) {
        let scalars = (0..<0x250).compactMap(UnicodeScalar.init).map(Character.init)
        let text = String(scalars) + "\u{20AC}\u{1F600}"
        let expected = text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: Self.unreserved + kept))
        #expect(PercentEncoding.escape(text, except: kept.utf8.first) == expected)
    }

    @Test(
        "Escaped text is decoded as Foundation decodes it",
        arguments: [
            "", "a", "%41b%20c", "%e2%82%ac", "%E2%82%AC!", "\u{20AC}", "%", "%4", "%4g", "%%", "%g4", "a%", "%ff", "%c3%28",
            "%00",
            "%ED%A0%80", "%EF%BF%BD", "%3A%40%2F", "%0:", "%/0", "%@0", "%`0", "%G0",
        ])
    func unescaped(text: String) {
        #expect(PercentEncoding.unescaped(text) == text.removingPercentEncoding, "\(text)")
    }
}
