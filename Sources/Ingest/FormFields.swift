import Model

/// Parses a form's body, `name=value&name=value` (WHATWG URL Standard, "application/x-www-form-urlencoded parsing"). A query has the same
/// syntax.
package enum FormFields {
    /// The maximum number of fields. A form of a position has about twenty.
    package static let maxFields = 128

    /// The decoded fields in order; nil if there are more than `maxFields`.
    ///
    /// A percent sign without two hexadecimal digits after it is kept, a name without `=` has an empty value, and invalid UTF-8 is marked;
    /// see `FormField.isUTF8`.
    package static func parse(_ text: String) -> [FormField]? { text.withBytes { parse($0) } }

    static func parse(_ bytes: Bytes) -> [FormField]? {
        var fields: [FormField] = []
        var start = 0
        while start < bytes.count {
            let end = bytes.firstIndex(of: UInt8(ascii: "&"), from: start) ?? bytes.count
            if start < end {
                if fields.count == maxFields { return nil }
                let equals = bytes.firstIndex(of: UInt8(ascii: "="), in: start..<end)
                var isUTF8 = true
                let name = decoded(bytes, start..<(equals ?? end), isForm: true, &isUTF8)
                let value = equals.map { decoded(bytes, ($0 + 1)..<end, isForm: true, &isUTF8) } ?? ""
                var field = FormField(name, value)
                field.isUTF8 = isUTF8
                fields.append(field)
            }
            start = end + 1
        }
        return fields
    }

    /// Decodes a segment of a path.
    ///
    /// - Returns: The text, and whether it was UTF-8. If not, the text shows its bytes, such as `J%F6rg`.
    package static func decodeSegment(_ segment: String) -> (text: String, isUTF8: Bool) {
        var isUTF8 = true
        let text = segment.withBytes { decoded($0, 0..<$0.count, isForm: false, &isUTF8) }
        return (text, isUTF8)
    }

    /// - Parameter isForm: Whether a plus sign is a space.
    private static func decoded(_ bytes: Bytes, _ range: Range<Int>, isForm: Bool, _ isUTF8: inout Bool) -> String {
        var plain: [UInt8] = []
        plain.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "+") where isForm:
                plain.append(UInt8(ascii: " "))
            case UInt8(ascii: "%") where index + 2 < range.upperBound:
                if let high = bytes[index + 1].hexadecimal, let low = bytes[index + 2].hexadecimal {
                    plain.append(high << 4 | low)
                    index += 2
                } else {
                    plain.append(bytes[index])
                }
            case let byte:
                plain.append(byte)
            }
            index += 1
        }
        if let text = plain.span.validText(0..<plain.count) { return text }
        isUTF8 = false
        return PercentEncoding.showing(plain)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    fileprivate var hexadecimal: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - 48
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - 87
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - 55
        default: nil
        }
    }
}
