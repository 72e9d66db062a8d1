import CSodium

/// SHA-256 (FIPS 180-4), by libsodium.
public enum Digest {
    /// The digest of a text's UTF-8 as 64 hexadecimal digits.
    public static func hexadecimal(of text: String) -> String {
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        let bytes = Array(text.utf8)
        _ = unsafe crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        return hash.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
