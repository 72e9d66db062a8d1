import CSodium

/// Generates unpredictable values from the system's random numbers through libsodium.
///
/// The generator cannot be injected, because a seeded one would produce predictable secrets.
package enum Secret {
    /// The prefix of every token, so that a search can find a token that was published by mistake.
    package static let tokenPrefix = "picket_"

    /// A new token of 50 characters: `picket_` and 32 random bytes in base64url without padding (RFC 4648, section 5).
    package static func token() -> String { tokenPrefix + base64URL(random(32)) }

    /// A short name such as `k3fq9zv2`. Its 40 random bits make collisions unlikely, but it is not a secret.
    package static func name() -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let bits = random(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String(decoding: (0..<8).map { letters[Int(bits >> (5 * $0) & 31)] }, as: UTF8.self)
    }

    /// Whether libsodium is initialized, which happens once per process before the first use.
    private static let isReady = sodium_init() >= 0

    private static func random(_ count: Int) -> [UInt8] {
        // There is no fallback. Initialization fails only on systems without a source of random numbers.
        precondition(isReady, "libsodium cannot start")
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Base64 with the URL alphabet, without padding (RFC 4648, section 5).
    static func base64URL(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0...group.count { text.append(letters[bits >> (18 - 6 * index) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Secret {
    /// The version of the linked libsodium.
    package static var libraryVersion: String { unsafe String(cString: sodium_version_string()) }
}
