/// Percent-encoding for URLs.
package enum PercentEncoding {
    /// Escapes a component of a path or query: all bytes except the unreserved ones of RFC 3986, 2.3 become `%XX`.
    ///
    /// - Parameter kept: Another ASCII byte that is not escaped; nil for none.
    package static func escape(_ text: String, except kept: UInt8? = nil) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            case kept: escaped.unicodeScalars.append(UnicodeScalar(byte))
            default: escaped += Self.escaped(byte)
            }
        }
        return escaped
    }

    /// Bytes that are not UTF-8 as text for a person: every byte that is not a visible ASCII character becomes `%XX`.
    package static func showing(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if byte > 0x20, byte < 0x7F {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                text += escaped(byte)
            }
        }
        return text
    }

    private static func escaped(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    /// Replaces each `%XX` with its byte. Nil when two hexadecimal digits are missing after a percent sign, or when the bytes are
    /// not UTF-8.
    package static func unescaped(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let high = hexadecimalDigit(rest.next()), let low = hexadecimalDigit(rest.next()) {
                bytes.append(high << 4 | low)
            } else {
                return nil
            }
        }
        let unescaped = String(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid UTF-8, so the bytes then differ.
        return unescaped.utf8.elementsEqual(bytes) ? unescaped : nil
    }

    private static func hexadecimalDigit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case let byte? where byte &- UInt8(ascii: "0") <= 9: byte &- UInt8(ascii: "0")
        case let byte? where (byte | 0x20) &- UInt8(ascii: "a") <= 5: (byte | 0x20) &- UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
