/// The header of a CSV file: the separator and the names of the columns.
struct CSVHeader {
    /// The byte between two fields.
    let separator: UInt8
    /// The names of the columns, as written.
    let names: [String]

    /// The maximum number of columns.
    static let maxColumns = 1000

    /// The bytes that can separate fields, the most common first.
    static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]

    /// Reads a header.
    ///
    /// The separator is the one that gives the most known columns. If several do, it is the one that gives the most columns, and then the
    /// first in `separators`.
    ///
    /// - Parameters:
    ///   - given: The separator that the file states; nil if it states none.
    ///   - countKnown: Counts the columns of a header that are known.
    /// - Returns: Nil if no separator occurs, or if a quoted name is not closed.
    init?(_ record: Bytes, separator given: UInt8?, countKnown: (CSVHeader) -> Int) {
        let found = (given.map { [$0] } ?? Self.separators).compactMap { separator -> (known: Int, header: CSVHeader)? in
            guard let header = CSVHeader(record, separator), given != nil || header.names.count > 1 else { return nil }
            return (header.names.count > Self.maxColumns ? 0 : countKnown(header), header)
        }
        guard var best = found.first else { return nil }
        for next in found.dropFirst()
        where (next.known, next.header.names.count) > (best.known, best.header.names.count) { best = next }
        self = best.header
    }

    private init?(_ record: Bytes, _ separator: UInt8) {
        var fields = CSVFields()
        guard fields.split(record, separator: separator) else { return nil }
        self.separator = separator
        names = (0..<fields.count).map { fields.string($0) }
    }

    /// The separator in a line such as `sep=;`, which Excel writes and reads before the header. Nil for other lines.
    static func statedSeparator(in line: Bytes) -> UInt8? {
        let start = line.starts(with: "\"") ? 1 : 0
        guard line.starts(with: "sep=", at: start) || line.starts(with: "SEP=", at: start), start + 4 < line.count else {
            return nil
        }
        let separator = line[start + 4]
        // A program that saves the file again fills the line with separators.
        for index in (start + 4)..<line.count where line[index] != separator && line[index] != UInt8(ascii: "\"") { return nil }
        return separators.contains(separator) ? separator : nil
    }

    /// The separator as text, for messages.
    var separatorName: String { String(Unicode.Scalar(separator)) }

    /// Whether a record has only empty fields, as spreadsheets write empty rows.
    func isBlank(_ record: Bytes) -> Bool {
        for index in 0..<record.count
        where record[index] != separator && record[index] != UInt8(ascii: "\"") && !record[index].isSpace {
            return false
        }
        return true
    }

    /// The column with one of these names. Earlier names take precedence.
    func column(_ aliases: [String]) -> Int? {
        let plain = names.map(Self.plain)
        for alias in aliases {
            if let column = plain.firstIndex(of: alias) { return column }
        }
        return nil
    }

    /// Normalizes a column's name for comparison: lower case, with underscores between words.
    static func plain(_ name: String) -> String {
        var plain = ""
        for character in name.lowercased() {
            if character.isLetter || character.isNumber {
                plain.append(character)
            } else if plain.last != "_" {
                plain.append("_")
            }
        }
        while plain.last == "_" { plain.removeLast() }
        return plain
    }
}
