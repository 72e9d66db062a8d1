/// Percent-encoding of texts in URLs.
public enum PercentEncoding {
    /// A text as a part of a path or query: all bytes but the unreserved ones of RFC 3986, 2.3 become `%XX`.
    ///
    /// - Parameter kept: An ASCII byte that is left as it is, too; nil: none.
    public static func escaped(_ text: String, keeping kept: UInt8? = nil) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            case kept: escaped.unicodeScalars.append(UnicodeScalar(byte))
            default: escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }
}
