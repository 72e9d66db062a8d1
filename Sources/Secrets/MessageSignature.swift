import CSodium

/// HMAC-SHA256 (RFC 2104, FIPS 198-1), computed by libsodium.
package enum MessageSignature {
    /// The authentication code of a text's UTF-8 bytes as 64 lower-case hexadecimal digits.
    ///
    /// - Parameter secret: A key of any length.
    package static func hexadecimal(of text: String, secret: String) -> String {
        let (text, key) = (Array(text.utf8), Array(secret.utf8))
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
        _ = unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
        _ = unsafe crypto_auth_hmacsha256_update(&state, text, UInt64(text.count))
        _ = unsafe crypto_auth_hmacsha256_final(&state, &code)
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
