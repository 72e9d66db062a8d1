import CSodium

/// Encrypts and decrypts messages with a shared key by libsodium's secretbox: XSalsa20 with Poly1305
/// (https://doc.libsodium.org/secret-key_cryptography/secretbox).
package struct SecretBox: Sendable {
    /// The length of a key in bytes.
    package static let keyLength = 32

    private static let nonceLength = 24
    private static let tagLength = 16

    private let key: [UInt8]

    /// Creates a key from a person's text: its UTF-8 bytes, padded with zeros. Nil if the text is empty or longer than a key.
    package init?(paddedKey text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= Self.keyLength else { return nil }
        key = bytes + [UInt8](repeating: 0, count: Self.keyLength - bytes.count)
    }

    /// Encrypts a message. The result is a random nonce of 24 bytes and the encrypted message, in base64.
    package func seal(_ message: [UInt8]) -> String {
        var nonce = [UInt8](repeating: 0, count: Self.nonceLength)
        var sealed = [UInt8](repeating: 0, count: message.count + Self.tagLength)
        unsafe randombytes_buf(&nonce, nonce.count)
        _ = unsafe crypto_secretbox_easy(&sealed, message, UInt64(message.count), nonce, key)
        let bytes = nonce + sealed
        let length = sodium_base64_encoded_len(bytes.count, sodium_base64_VARIANT_ORIGINAL)
        var text = [CChar](repeating: 0, count: length)
        unsafe sodium_bin2base64(&text, length, bytes, bytes.count, sodium_base64_VARIANT_ORIGINAL)
        return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Decrypts a nonce of 24 bytes followed by an encrypted message. Nil if it was encrypted with another key, or changed.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        let length = sealed.count - Self.nonceLength - Self.tagLength
        guard length >= 0 else { return nil }
        var message = [UInt8](repeating: 0, count: length)
        let isGenuine = unsafe sealed.withUnsafeBufferPointer { sealed in
            guard let start = sealed.baseAddress else { return false }
            return unsafe crypto_secretbox_open_easy(
                &message, start + Self.nonceLength, UInt64(sealed.count - Self.nonceLength), start, key) == 0
        }
        return isGenuine ? message : nil
    }

    /// Decrypts base64 text (RFC 4648, section 4), with or without padding. Nil as for `open(_:)`, and if the text is not base64.
    package func open(base64 text: String) -> [UInt8]? { Self.decoded(text).flatMap(open) }

    private static func decoded(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "=") }.map { CChar(bitPattern: $0) }
        var bytes = [UInt8](repeating: 0, count: digits.count / 4 * 3 + 3)
        var count = 0
        let code = unsafe sodium_base642bin(
            &bytes, bytes.count, digits, digits.count, nil, &count, nil, Int32(sodium_base64_VARIANT_ORIGINAL_NO_PADDING))
        return code == 0 ? Array(bytes[..<count]) : nil
    }
}
