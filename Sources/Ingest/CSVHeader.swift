/// The header of a CSV file: the separator and the names of the columns.
struct CSVHeader {
    /// The byte between two fields.
    let separator: UInt8
    /// The names of the columns, as written.
    let names: [String]

    /// Reads a header. The separator is the most frequent of comma, semicolon and tab outside quotation marks.
    ///
    /// Nil if none of them occurs, or if a quoted name is not closed.
    init?(_ record: Bytes) {
        guard let separator = Self.separator(of: record) else { return nil }
        self.separator = separator
        var fields = CSVFields()
        guard fields.split(record, separator: separator) else { return nil }
        names = (0..<fields.count).map { fields.string($0) }
    }

    private static func separator(of record: Bytes) -> UInt8? {
        var commas = 0
        var semicolons = 0
        var tabs = 0
        var isQuoted = false
        for index in 0..<record.count {
            switch record[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: commas += 1
            case UInt8(ascii: ";") where !isQuoted: semicolons += 1
            case UInt8(ascii: "\t") where !isQuoted: tabs += 1
            default: break
            }
        }
        let most = max(commas, semicolons, tabs)
        if most == 0 { return nil }
        return most == commas ? UInt8(ascii: ",") : most == semicolons ? UInt8(ascii: ";") : UInt8(ascii: "\t")
    }

    /// The number in a field. Its decimal sign is a point, or a comma in a file whose fields a semicolon or a tab separates.
    @inline(__always)
    func number(_ bytes: Bytes, _ field: Range<Int>) -> Double? {
        DecimalNumber.parse(bytes, field)
            ?? (separator == UInt8(ascii: ",") ? nil : DecimalNumber.parseWithComma(bytes, field))
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
