import CSodium

/// A SHA-256 digest (FIPS 180-4), computed by libsodium.
///
/// Digests are compared in constant time, so that the duration does not reveal where they differ.
package struct Digest: Sendable {
    // The 32 bytes in memory order.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// The digest of bytes, without allocation.
    package init(of bytes: UnsafeRawBufferPointer) {
        let input = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        unsafe withUnsafeMutablePointer(to: &words) { words in
            unsafe words.withMemoryRebound(to: UInt8.self, capacity: 32) { output in
                _ = unsafe crypto_hash_sha256(output, input, UInt64(bytes.count))
            }
        }
    }

    /// The digest of a text's UTF-8 bytes.
    package init(of text: String) {
        var text = text
        self = text.withUTF8 { unsafe Digest(of: UnsafeRawBufferPointer($0)) }
    }

    /// A digest from 64 lower-case hexadecimal digits; nil for anything else.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.copyBytes(from: bytes) }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 87
        default: nil
        }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The digest of a text's UTF-8 bytes as 64 lower-case hexadecimal digits.
    package static func hexadecimal(of text: String) -> String { Digest(of: text).hexadecimal }
}

extension Digest: Hashable {
    package static func == (a: Digest, b: Digest) -> Bool {
        // All words are compared before the single decision. libsodium's comparison works byte by byte, which would take half the time of
        // checking a request.
        (a.words.0 ^ b.words.0) | (a.words.1 ^ b.words.1) | (a.words.2 ^ b.words.2) | (a.words.3 ^ b.words.3) == 0
    }

    // One word is enough, because all words of a digest are equally random.
    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
