import Model

/// Why a field of a CSV file is not read as a number.
struct NumberFlaw: Error {
    var reason: Phrase
    /// What is expected; nil for what the field usually holds.
    var expected: Phrase?

    init(_ reason: Phrase, _ expected: Phrase? = nil) {
        self.reason = reason
        self.expected = expected
    }

    /// The reason together with what is expected.
    ///
    /// - Parameter usual: What the field usually holds.
    func reason(usual: Phrase) -> Phrase { .expecting(reason, expected ?? usual) }
}

/// Reads the numbers of a CSV file, whose decimal sign is a point or a comma in the whole file.
///
/// The first unambiguous number decides, in the order of the records; within a record, coordinates come before other numbers. A
/// coordinate with one point or comma is unambiguous, because it has no thousands. Another number is unambiguous unless it
/// consists of up to three digits, one sign and three digits (`1.500`). An ambiguous number is refused as long as the decimal
/// sign is unknown. Afterward, the other sign separates thousands, and a number that contradicts this is refused. Therefore no
/// record is held back, and the result does not depend on how the input is cut into pieces.
struct CSVNumbers {
    /// The decimal sign, a point or a comma; 0 before it is known.
    private(set) var point: UInt8 = 0
    /// The line of the number that has decided.
    private var line = 0

    /// Whether the decimal sign is known to be a point.
    @inline(__always)
    var hasPoint: Bool { point == Self.point }
    /// Whether the decimal sign is known.
    var isDecided: Bool { point != 0 }

    private static let point = UInt8(ascii: ".")
    private static let comma = UInt8(ascii: ",")

    // MARK: - Deciding

    /// Decides by a coordinate in degrees.
    mutating func decide(coordinate bytes: Bytes, _ field: Range<Int>, line: Int) {
        let signs = field.filter { bytes[$0] == Self.point || bytes[$0] == Self.comma }
        guard point == 0, signs.count == 1, let sign = signs.first.map({ bytes[$0] }),
            let angle = try? AngleText(bytes, field, point: sign), abs(angle.degrees) <= 360
        else { return }
        decide(sign, line)
    }

    /// Determines the decimal sign from another number, with or without a unit.
    mutating func decide(number bytes: Bytes, _ field: Range<Int>, line: Int) {
        let number = Self.parts(bytes, field).number
        switch (Self.parse(bytes, number, Self.point), Self.parse(bytes, number, Self.comma)) {
        case (_?, nil): decide(Self.point, line)
        case (nil, _?): decide(Self.comma, line)
        default: return
        }
    }

    private mutating func decide(_ sign: UInt8, _ line: Int) {
        if point != 0 { return }
        point = sign
        self.line = line
    }

    // MARK: - Reading

    /// The number that fills a field, possibly with separators between thousands.
    func number(_ bytes: Bytes, _ field: Range<Int>) throws(NumberFlaw) -> Double {
        if point != 0 {
            if let number = DecimalNumber.parse(bytes, field, point: point) { return number }
        } else if bytes.firstIndex(of: Self.point, in: field) == nil, let number = DecimalNumber.parse(bytes, field) {
            // A number without a point or comma says nothing about the decimal sign.
            return number
        }
        let asPoint = Self.parse(bytes, field, Self.point)
        let asComma = Self.parse(bytes, field, Self.comma)
        switch (point, asPoint, asComma) {
        case (Self.point, let number?, _), (Self.comma, _, let number?): return number
        case (0, let number?, let other?) where number != other: throw Self.ambiguous(number, other)
        case (0, let number?, _), (0, nil, let number?): return number
        case (_, nil, nil): throw NumberFlaw(.notANumber)
        default: throw contradiction
        }
    }

    /// The length in meters that fills a field.
    ///
    /// - Parameter unit: The unit that the column states. A number without one is in meters if it is nil.
    func meters(_ bytes: Bytes, _ field: Range<Int>, unit: LengthUnit?) throws(NumberFlaw) -> Double {
        let parts = Self.parts(bytes, field)
        if parts.unit.isEmpty { return try number(bytes, field) * (unit ?? .meter).meters }
        if parts.number.isEmpty { throw NumberFlaw(.notANumber) }
        let text = bytes.text(parts.unit)
        guard let own = LengthUnit.named(text) else { throw NumberFlaw(.unknownUnit(text), .oneOf(LengthUnit.symbols)) }
        if let unit, own != unit { throw NumberFlaw(.unitOtherThan(unit.names[0])) }
        return try number(bytes, parts.number) * own.meters
    }

    /// The speed in meters per second that fills a field.
    ///
    /// - Parameter unit: The unit of numbers without one.
    func speed(_ bytes: Bytes, _ field: Range<Int>, unit: SpeedUnit) throws(NumberFlaw) -> Double {
        let parts = Self.parts(bytes, field)
        if parts.unit.isEmpty { return try number(bytes, field) / unit.divisor }
        guard let own = SpeedUnit(symbol: bytes.text(parts.unit)) else { throw NumberFlaw(.notANumber) }
        return try number(bytes, parts.number) / own.divisor
    }

    /// The latitude or longitude in a field.
    ///
    /// - Parameters:
    ///   - isE7: Whether it is in degrees times 10⁷.
    ///   - hasHemispheres: Whether other columns name hemispheres.
    func coordinate(
        _ bytes: Bytes, _ field: Range<Int>, isLatitude: Bool, isE7: Bool, hasHemispheres: Bool
    ) throws(NumberFlaw) -> AngleText {
        let angle = isE7 ? try angleE7(bytes, field) : try angle(bytes, field)
        if let hemisphere = angle.hemisphere, hemisphere.isOfLatitude != isLatitude {
            throw NumberFlaw(.hemisphereOfOther(hemisphere.letter))
        }
        if angle.needsHemisphere, !hasHemispheres { throw NumberFlaw(.degreesAndMinutes, .hemisphereOrDegreeSign) }
        return angle
    }

    /// The angle that fills a field.
    private func angle(_ bytes: Bytes, _ field: Range<Int>) throws(NumberFlaw) -> AngleText {
        let own = point == 0 ? Self.point : point
        let flaw: NumberFlaw
        do throws(NumberFlaw) {
            return try AngleText(bytes, field, point: own)
        } catch {
            flaw = error
        }
        guard let other = try? AngleText(bytes, field, point: own == Self.comma ? Self.point : Self.comma) else { throw flaw }
        if point != 0 { throw contradiction }
        return other
    }

    /// The angle in degrees that fills a field in degrees × 10⁷, as whole numbers. Numbers beyond the range of an angle come from
    /// programs in which 32 bits overflowed.
    private func angleE7(_ bytes: Bytes, _ field: Range<Int>) throws(NumberFlaw) -> AngleText {
        let number = try number(bytes, field)
        guard number.rounded() == number else { throw NumberFlaw(.notAWholeNumber, .degreesE7) }
        return AngleText(degrees: AngleText.degrees(e7: number), isNegative: number < 0)
    }

    private var contradiction: NumberFlaw { NumberFlaw(.otherDecimalSign(String(Unicode.Scalar(point)), line)) }

    private static func ambiguous(_ a: Double, _ b: Double) -> NumberFlaw {
        let texts = [a, b].map { number in
            number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
        }
        return NumberFlaw(.ambiguousNumber(texts[0], texts[1]), .oneOf(texts))
    }

    /// The number and the unit after it, such as `150` and `m`. A unit consists of ASCII letters and slashes.
    private static func parts(_ bytes: Bytes, _ field: Range<Int>) -> (number: Range<Int>, unit: Range<Int>) {
        var start = field.upperBound
        while start > field.lowerBound, bytes[start - 1].isLetter || bytes[start - 1] == UInt8(ascii: "/") { start -= 1 }
        return (bytes.trimmed(field.lowerBound..<start), start..<field.upperBound)
    }

    /// The number that fills a range and has the decimal sign `point`. Commas (or points), spaces or apostrophes may separate its thousands.
    private static func parse(_ bytes: Bytes, _ range: Range<Int>, _ point: UInt8) -> Double? {
        var text: [UInt8] = []
        var index = range.lowerBound
        if index < range.upperBound, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            text.append(bytes[index])
            index += 1
        }
        let first = index
        var digits = 0
        var groups = 0
        var separator: Range<Int>?
        while index < range.upperBound {
            if bytes[index].isDigit {
                text.append(bytes[index])
                digits += 1
                index += 1
            } else if let next = groupSeparator(bytes, index..<range.upperBound, point: point) {
                guard groups == 0 ? (1...3).contains(digits) : digits == 3 else { return nil }
                if let separator, !bytes.areEqual(separator, next) { return nil }
                separator = next
                groups += 1
                digits = 0
                index = next.upperBound
            } else {
                break
            }
        }
        if groups > 0, digits != 3 || bytes[first] == UInt8(ascii: "0") { return nil }
        let rest = text.count
        bytes.append(index..<range.upperBound, to: &text)
        guard text[rest...].dropFirst().allSatisfy({ $0 != Self.point && $0 != comma }) else { return nil }
        if rest < text.count, text[rest] == Self.point || text[rest] == comma {
            guard text[rest] == point else { return nil }
            text[rest] = Self.point
        }
        return DecimalNumber.parse(text.span, 0..<text.count)
    }

    /// The range of the separator between thousands at the start of a range; nil if there is none.
    private static func groupSeparator(_ bytes: Bytes, _ range: Range<Int>, point: UInt8) -> Range<Int>? {
        let start = range.lowerBound
        let byte = bytes[start]
        if (byte == Self.point || byte == comma) && byte != point || byte == 0x20 || byte == UInt8(ascii: "'") {
            return start..<(start + 1)
        }
        // No-break space, narrow no-break space, thin space and apostrophe.
        for text in ["\u{A0}", "\u{202F}", "\u{2009}", "\u{2019}"] as [StaticString] where bytes.starts(with: text, at: start) {
            return start..<(start + text.utf8CodeUnitCount)
        }
        return nil
    }
}

extension Span where Element == UInt8 {
    fileprivate func areEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { self[$0] == self[$1] }
    }
}
