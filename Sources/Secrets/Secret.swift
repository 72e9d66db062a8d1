import CSodium

/// Makes what must not be guessed, from the system's randomness by way of libsodium.
///
/// Only libsodium's source is used, and none that could be passed in: a seeded one would make secrets that can be made again.
public enum Secret {
    /// What every token begins with, so that one that was published by mistake can be found.
    public static let prefix = "picket_"

    /// A new token: `picket_` and 32 random bytes in base64url without padding (RFC 4648, section 5); 50 characters.
    public static func token() -> String { prefix + base64URL(random(32)) }

    /// A short name for something, as `k3fq9zv2`: no secret, yet not likely to be made twice (40 random bits).
    public static func name() -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let bits = random(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String(decoding: (0..<8).map { letters[Int(bits >> (5 * $0) & 31)] }, as: UTF8.self)
    }

    /// Whether libsodium could start; it wants to be asked once a process, before its first use.
    private static let isReady = sodium_init() >= 0

    private static func random(_ count: Int) -> [UInt8] {
        // Without randomness there is nothing that could be done instead: it fails only where the system has none.
        precondition(isReady, "libsodium cannot start")
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }

    /// Base64 in the alphabet for URLs, without padding.
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
    /// The version of libsodium as it is linked.
    public static var libraryVersion: String { unsafe String(cString: sodium_version_string()) }
}
