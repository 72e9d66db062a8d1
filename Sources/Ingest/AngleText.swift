/// An angle as people write coordinates: `52.5163`, `33.8688° S`, `S33.8688`, `52°30'58.7"N` or `52 30.978 N`.
///
/// Degrees and minutes without a degree sign need a letter for the hemisphere, here or in another column, because two numbers beside each
/// other may also be something else.
struct AngleText {
    /// Degrees; negative in the south and in the west.
    var degrees: Double
    /// Whether the angle has a minus sign.
    var isNegative: Bool
    /// N, S, E or W; nil without a letter.
    var hemisphere: Hemisphere?
    /// Whether a letter in another column is needed.
    var needsHemisphere = false

    init(degrees: Double, isNegative: Bool) {
        self.degrees = degrees
        self.isNegative = isNegative
    }

    /// Degrees from degrees × 10⁷. An overflow of 32 bits is undone.
    static func degrees(e7 number: Double) -> Double {
        let most = 180e7
        let whole = number > most ? number - 4_294_967_296 : number < -most ? number + 4_294_967_296 : number
        return (abs(whole) <= most ? whole : number) / 1e7
    }

    /// Parses the angle that fills a range.
    ///
    /// - Parameter point: The decimal sign.
    init(_ bytes: Bytes, _ range: Range<Int>, point: UInt8) throws(NumberFlaw) {
        var scanner = AngleScanner(range: bytes.trimmed(range), point: point)
        hemisphere = scanner.takeLetter(bytes)
        isNegative = scanner.takeSign(bytes)
        var parts: [Double] = []
        var hasDegreeSign = false
        while !scanner.range.isEmpty {
            guard parts.count < 3, let number = scanner.takeNumber(bytes) else {
                throw NumberFlaw(parts.isEmpty ? .notANumber : .angleUnreadable)
            }
            // Only the last part has a fraction.
            let isWhole = parts.last.map { $0 == $0.rounded() } ?? true
            guard isWhole, parts.isEmpty || number < 60 else { throw NumberFlaw(.angleUnreadable) }
            parts.append(number)
            guard scanner.takeMark(bytes, ofPart: parts.count - 1, &hasDegreeSign) else { throw NumberFlaw(.angleUnreadable) }
        }
        if parts.isEmpty { throw NumberFlaw(.notANumber) }
        if hemisphere != nil, isNegative { throw NumberFlaw(.minusWithHemisphere) }
        let scale = parts.count == 1 ? 1.0 : parts.count == 2 ? 60 : 3600
        degrees = parts.reduce(0) { $0 * 60 + $1 } / scale
        if isNegative || hemisphere?.isNegative == true { degrees = -degrees }
        needsHemisphere = parts.count > 1 && !hasDegreeSign && hemisphere == nil
    }
}

extension AngleText {
    /// The degrees of the angle in the hemisphere that another column names.
    func degrees(in other: Hemisphere) throws(NumberFlaw) -> Double {
        if isNegative { throw NumberFlaw(.minusWithHemisphere) }
        guard let hemisphere else { return other.isNegative ? -degrees : degrees }
        if hemisphere != other { throw NumberFlaw(.hemispheresDiffer(hemisphere.letter, other.letter)) }
        return degrees
    }
}

/// Takes the parts of an angle from a range, one after the other.
private struct AngleScanner {
    private(set) var range: Range<Int>
    private let point: UInt8

    init(range: Range<Int>, point: UInt8) {
        self.range = range
        self.point = point
    }

    /// Takes the letter of the hemisphere from the end or the start. Lower case is not read, because `s` also stands for seconds.
    mutating func takeLetter(_ bytes: Bytes) -> Hemisphere? {
        guard let first = range.first, let last = range.last else { return nil }
        if let letter = Hemisphere(rawValue: bytes[last]) {
            range = bytes.trimmed(range.lowerBound..<last)
            return letter
        }
        guard let letter = Hemisphere(rawValue: bytes[first]) else { return nil }
        range = bytes.trimmed((first + 1)..<range.upperBound)
        return letter
    }

    /// Takes a sign. Returns whether it is a minus.
    mutating func takeSign(_ bytes: Bytes) -> Bool {
        if take("+", bytes) { return false }
        return take("-", bytes) || take("\u{2212}", bytes)
    }

    /// Takes digits with a fraction.
    mutating func takeNumber(_ bytes: Bytes) -> Double? {
        var end = range.lowerBound
        while end < range.upperBound, bytes[end].isDigit || bytes[end] == point { end += 1 }
        let number = range.lowerBound..<end
        range = end..<range.upperBound
        return DecimalNumber.parse(bytes, number, point: point)
    }

    /// Takes the mark of a part (0: degrees, 1: minutes, 2: seconds), and the space around it. False if something else follows,
    /// or if nothing separates the next part.
    mutating func takeMark(_ bytes: Bytes, ofPart part: Int, _ hasDegreeSign: inout Bool) -> Bool {
        let hasSpace = skipSpace(bytes)
        if range.isEmpty { return true }
        let marks: [StaticString] =
            switch part {
            case 0: ["\u{B0}", "\u{BA}"]
            case 1: ["'", "\u{2032}", "\u{2019}"]
            default: ["\"", "\u{2033}", "\u{201D}", "''", "\u{2032}\u{2032}", "\u{2019}\u{2019}"]
            }
        for mark in marks where take(mark, bytes) {
            if part == 0 { hasDegreeSign = true }
            _ = skipSpace(bytes)
            return true
        }
        if part < 2, take(":", bytes) {
            _ = skipSpace(bytes)
            return !range.isEmpty
        }
        return hasSpace
    }

    private mutating func take(_ text: StaticString, _ bytes: Bytes) -> Bool {
        guard text.utf8CodeUnitCount <= range.count, bytes.starts(with: text, at: range.lowerBound) else { return false }
        range = (range.lowerBound + text.utf8CodeUnitCount)..<range.upperBound
        return true
    }

    /// Skips spaces and no-break spaces. Returns whether there was any.
    private mutating func skipSpace(_ bytes: Bytes) -> Bool {
        let start = range.lowerBound
        while take(" ", bytes) || take("\u{A0}", bytes) {}
        return range.lowerBound > start
    }
}

/// A half of the earth, by the upper-case letter for it.
enum Hemisphere: UInt8 {
    case north = 0x4E
    case south = 0x53
    case east = 0x45
    case west = 0x57

    /// Whether coordinates in it are negative.
    var isNegative: Bool { self == .south || self == .west }
    /// Whether it is one of latitudes.
    var isOfLatitude: Bool { self == .north || self == .south }
    /// The upper-case letter.
    var letter: String { String(Unicode.Scalar(rawValue)) }

    /// The hemispheres that a text names: a letter or a word such as `S` or `south`, or two letters such as `NE`. Nil for other texts.
    static func named(_ text: String) -> [Hemisphere]? {
        let text = text.uppercased()
        let words: [String: Hemisphere] = ["NORTH": .north, "SOUTH": .south, "EAST": .east, "WEST": .west]
        if let word = words[text] { return [word] }
        let letters = text.utf8.map { Hemisphere(rawValue: $0) }
        let found = letters.compactMap(\.self)
        guard found.count == letters.count, (1...2).contains(found.count),
            found.count == 1 || found[0].isOfLatitude != found[1].isOfLatitude
        else { return nil }
        return found
    }
}
