import Foundation
import Model
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    /// RFC 3986, 2.3.
    private static let unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"

    @Test("Escapes the same bytes as Foundation does, and keeps one byte when asked to", arguments: ["", ":"])
    func escaped(kept: String) {
        let scalars = (0..<0x250).compactMap(UnicodeScalar.init).map(Character.init)
        let text = String(scalars) + "\u{20AC}\u{1F600}"
        let expected = text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: Self.unreserved + kept))
        #expect(PercentEncoding.escaped(text, keeping: kept.utf8.first) == expected)
    }
}
