/// One NMEA 0183 sentence: `$`, talker and type, fields separated by commas, `*`, and a checksum of two hexadecimal digits. The checksum is
/// the exclusive or of all bytes between `$` and `*`.
struct NMEASentence {
    /// Errors of a sentence.
    enum ChecksumError: Error, Hashable {
        case noChecksum
        /// The checksum in the sentence, and the correct one.
        case wrongChecksum(written: String, right: String)
    }

    /// The last three letters of the sentence's name, such as `RMC`, regardless of the talker.
    let type: String
    /// The ranges of the fields in the line. The first field is the name.
    let fields: [Range<Int>]

    /// Reads the sentence that starts at the first dollar sign of a line; nil if there is none. Loggers may write their own text before it.
    ///
    /// - Parameter types: The types to read. Sentences of other types give nil, even with a wrong checksum.
    init?(_ line: Bytes, types: [StaticString]) throws(ChecksumError) {
        guard let dollar = line.firstIndex(of: UInt8(ascii: "$"), from: 0) else { return nil }
        let rest = (dollar + 1)..<line.count
        let nameEnd = line.firstIndex(of: UInt8(ascii: ","), in: rest) ?? line.count
        guard nameEnd - rest.lowerBound >= 3, types.contains(where: { line.starts(with: $0, at: nameEnd - 3) }) else {
            return nil
        }
        type = line.text((nameEnd - 3)..<nameEnd)

        guard let star = line.firstIndex(of: UInt8(ascii: "*"), in: rest) else { throw .noChecksum }
        var sum: UInt8 = 0
        for index in rest.lowerBound..<star { sum ^= line[index] }
        let written = line.text(line.trimmed((star + 1)..<line.count))
        guard written.utf8.count == 2, UInt8(written, radix: 16) == sum else {
            let right = String(sum, radix: 16, uppercase: true)
            throw .wrongChecksum(written: written, right: right.utf8.count == 1 ? "0" + right : right)
        }

        var fields: [Range<Int>] = []
        var start = rest.lowerBound
        while let comma = line.firstIndex(of: UInt8(ascii: ","), in: start..<star) {
            fields.append(start..<comma)
            start = comma + 1
        }
        fields.append(start..<star)
        self.fields = fields
    }

    /// Whether a line contains the start of a sentence: a dollar sign, at least three capital letters or digits, and a comma.
    static func starts(in bytes: Bytes, _ line: Range<Int>) -> Bool {
        guard let dollar = bytes.firstIndex(of: UInt8(ascii: "$"), in: line) else { return false }
        var index = dollar + 1
        while index < line.upperBound, bytes[index].isDigit || (bytes[index].isLetter && bytes[index] & 0x20 == 0) { index += 1 }
        return index >= dollar + 4 && index < line.upperBound && bytes[index] == UInt8(ascii: ",")
    }
}

// MARK: - Fields

extension NMEASentence {
    /// The range of a field; empty if the sentence has fewer fields.
    func range(_ field: Int) -> Range<Int> { field < fields.count ? fields[field] : 0..<0 }

    func text(_ field: Int, of line: Bytes) -> String { line.text(range(field)) }

    /// The number in a field; nil if the field is empty or not a number.
    func number(_ field: Int, of line: Bytes) -> Double? { DecimalNumber.parse(line, range(field)) }

    /// The angle in degrees from a field `ddmm.mmm` (degrees and minutes) and the following field with the hemisphere.
    func angle(_ field: Int, of line: Bytes) -> Double? {
        guard let packed = number(field, of: line), packed >= 0, packed < 100_000 else { return nil }
        let degrees = (packed / 100).rounded(.towardZero)
        let angle = degrees + (packed - 100 * degrees) / 60
        switch text(field + 1, of: line) {
        case "N", "E": return angle
        case "S", "W": return -angle
        default: return nil
        }
    }

    /// The time of day in a field `hhmmss.sss`; nil if it is not one.
    func timeOfDay(_ field: Int, of line: Bytes) -> NMEATime? { NMEATime(line, range(field)) }
}

/// A time of day in a sentence.
struct NMEATime: Hashable {
    /// Milliseconds since midnight.
    let milliseconds: Int
    /// The time as `hh:mm:ss.sss`.
    let text: String

    init?(_ line: Bytes, _ range: Range<Int>) {
        guard range.count >= 6, range.prefix(6).allSatisfy({ line[$0].isDigit }),
            let number = DecimalNumber.parse(line, range), number < 1_000_000
        else { return nil }
        let start = range.lowerBound
        let whole = Int(number)
        var fraction = line.text((start + 6)..<range.upperBound)
        guard fraction.isEmpty || fraction.utf8.count > 1 && fraction.utf8.first == UInt8(ascii: ".") else { return nil }
        text =
            "\(line.text(start..<(start + 2))):\(line.text((start + 2)..<(start + 4))):\(line.text((start + 4)..<(start + 6)))"
            + fraction
        fraction = String((fraction.dropFirst() + "000").prefix(3))
        guard let thousandths = Int(fraction) else { return nil }
        milliseconds = ((whole / 10_000 * 60 + whole / 100 % 100) * 60 + whole % 100) * 1000 + thousandths
    }
}
