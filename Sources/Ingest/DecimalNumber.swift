/// Parses decimal numbers from bytes without an intermediate string.
///
/// Numbers with up to 53 bits of digits and a power of ten that a double represents exactly take one multiplication or division, which is
/// correctly rounded (W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990). The standard library parses all others.
/// The result is always the nearest double.
enum DecimalNumber {
    /// The result of scanning a number.
    struct Scan {
        /// The value; nil if no number starts there, or if it is too large for a double.
        var value: Double?
        /// The index after the number.
        var end: Int
        /// Whether the number is valid JSON (RFC 8259 §6): no plus sign, no leading zero, digits on both sides of a point.
        var isJSON: Bool
    }

    /// Parses the number that fills `range`, with an optional sign, point and exponent. Nil if it is not a number or not finite.
    @inline(__always)
    static func parse(_ bytes: Bytes, _ range: Range<Int>) -> Double? {
        let scan = scan(bytes, range)
        return scan.end == range.upperBound ? scan.value : nil
    }

    /// Parses the number that fills `range` and whose decimal sign is `point`. Nil if it is not a number or not finite.
    @inline(__always)
    static func parse(_ bytes: Bytes, _ range: Range<Int>, point: UInt8) -> Double? {
        let scan = scan(bytes, range, point: point)
        return scan.end == range.upperBound ? scan.value : nil
    }

    /// Parses a text, without white space at its ends.
    static func parse(_ text: some StringProtocol) -> Double? {
        String(text).withBytes { parse($0, $0.trimmed(0..<$0.count)) }
    }

    /// Scans the number at the start of a range. Its decimal sign is `point`.
    @inline(__always)
    static func scan(_ bytes: Bytes, _ range: Range<Int>, point: UInt8 = UInt8(ascii: ".")) -> Scan {
        var index = range.lowerBound
        let end = range.upperBound
        var mantissa: UInt64 = 0
        var exponent = 0
        var isJSON = true
        var isExact = true

        var isNegative = false
        if index < end, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            isJSON = isNegative
            index += 1
        }
        let whole = index
        while index < end {
            let digit = bytes[index] &- 48
            guard digit <= 9 else { break }
            if mantissa < mostDigits { mantissa = mantissa &* 10 &+ UInt64(digit) } else { isExact = false }
            index += 1
        }
        var digits = index - whole
        if digits == 0 || (digits > 1 && bytes[whole] == UInt8(ascii: "0")) { isJSON = false }
        if index < end, bytes[index] == point {
            index += 1
            let fraction = index
            while index < end {
                let digit = bytes[index] &- 48
                guard digit <= 9 else { break }
                if mantissa < mostDigits {
                    mantissa = mantissa &* 10 &+ UInt64(digit)
                    exponent &-= 1
                } else {
                    isExact = false
                }
                index += 1
            }
            if index == fraction { isJSON = false }
            digits += index - fraction
        }
        guard digits > 0 else { return Scan(value: nil, end: range.lowerBound, isJSON: false) }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
            guard let (power, next) = Self.exponent(bytes, (index + 1)..<end) else {
                return Scan(value: nil, end: index, isJSON: false)
            }
            exponent += power
            index = next
        }

        let value: Double?
        if isExact, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            let digits = Double(mantissa)
            let size = exponent < 0 ? digits / powersOfTen[-exponent] : digits * powersOfTen[exponent]
            value = isNegative ? -size : size
        } else {
            value = slow(bytes, range.lowerBound..<index, point)
        }
        return Scan(value: value, end: index, isJSON: isJSON)
    }

    /// Scans the exponent at the start of a range, and returns the index after it. Exponents are clamped to ±100,000, which is beyond any
    /// double.
    private static func exponent(_ bytes: Bytes, _ range: Range<Int>) -> (power: Int, end: Int)? {
        var index = range.lowerBound
        let end = range.upperBound
        var isNegative = false
        if index < end, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        let start = index
        var power = 0
        while index < end, bytes[index].isDigit {
            power = min(power * 10 + Int(bytes[index] &- 48), 100_000)
            index += 1
        }
        return index > start ? (isNegative ? -power : power, index) : nil
    }

    @inline(never)
    private static func slow(_ bytes: Bytes, _ range: Range<Int>, _ point: UInt8) -> Double? {
        let text = bytes.text(range)
        let written = point == UInt8(ascii: ".") ? text : text.replacing(String(Unicode.Scalar(point)), with: ".")
        guard let value = Double(written), value.isFinite else { return nil }
        return value
    }

    /// A mantissa below this value can take one more digit without overflow.
    private static let mostDigits: UInt64 = 1_000_000_000_000_000_000
}

private let powersOfTen: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
    1e22,
]
