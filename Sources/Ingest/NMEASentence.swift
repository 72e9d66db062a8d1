/// One sentence of NMEA 0183: `$`, a talker and type, fields between commas, `*` and a checksum.
struct NMEASentence {
    /// Whether a line holds the start of a sentence: a dollar sign, at least three capitals or digits, a comma. Loggers may write
    /// something of their own in front.
    static func starts(in bytes: Bytes, _ line: Range<Int>) -> Bool {
        guard let dollar = bytes.firstIndex(of: UInt8(ascii: "$"), in: line) else { return false }
        var index = dollar + 1
        while index < line.upperBound, bytes[index].isDigit || (bytes[index].isLetter && bytes[index] & 0x20 == 0) { index += 1 }
        return index >= dollar + 4 && index < line.upperBound && bytes[index] == UInt8(ascii: ",")
    }
}
