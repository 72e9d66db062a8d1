/// What a request is about: the path's parts and the query, percent-decoded (RFC 3986, 3.3 and 3.4; `+` in a query is a space, as
/// forms write it).
struct Target: Sendable {
    /// The path as it was written.
    let path: String
    /// Its parts between slashes, each decoded by itself, so that `%2F` is no separator.
    let segments: [String]
    let query: [(name: String, value: String)]

    init(_ raw: String) {
        let parts = raw.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        segments = path.split(separator: "/", omittingEmptySubsequences: true).map { Self.decoded($0, plusIsSpace: false) }
        query =
            parts.count < 2
            ? []
            : parts[1].split(separator: "&").map { pair in
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (
                    Self.decoded(sides[0], plusIsSpace: true), sides.count < 2 ? "" : Self.decoded(sides[1], plusIsSpace: true)
                )
            }
    }

    /// The value of a query's name; of several the last. Nil when it is not there.
    subscript(name: String) -> String? { query.last { $0.name == name }?.value }

    /// A text as a part of a path or query: all but what RFC 3986, 2.3 leaves as it is becomes `%XX`.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = rest.first?.hexValue,
                let low = rest[rest.startIndex + 1].hexValue
            {
                bytes.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") && plusIsSpace ? 0x20 : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    fileprivate var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
