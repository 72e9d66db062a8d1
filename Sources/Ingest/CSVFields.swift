/// The fields of one CSV record (RFC 4180): without quotation marks, with doubled quotation marks made single, and with white space
/// trimmed.
///
/// The value is reused for each record, so that a record needs no allocation.
struct CSVFields {
    /// The unquoted text of all fields.
    private(set) var text: [UInt8] = []
    private var ends: [Int] = []

    /// The number of fields.
    var count: Int { ends.count }

    /// The range of a field in `text`.
    func range(of field: Int) -> Range<Int> {
        text.span.trimmed((field == 0 ? 0 : ends[field - 1])..<ends[field])
    }

    /// The text of a field.
    func string(_ field: Int) -> String { text.span.text(range(of: field)) }

    /// Splits a record into fields. False if a quoted field is not closed.
    mutating func split(_ record: Bytes, separator: UInt8) -> Bool {
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        var index = 0
        while true {
            if index < record.count, record[index] == UInt8(ascii: "\"") {
                index += 1
                while true {
                    guard let mark = record.firstIndex(of: UInt8(ascii: "\""), from: index) else { return false }
                    record.append(index..<mark, to: &text)
                    index = mark + 1
                    guard index < record.count, record[index] == UInt8(ascii: "\"") else { break }
                    text.append(UInt8(ascii: "\""))
                    index += 1
                }
            }
            let end = record.firstIndex(of: separator, from: index) ?? record.count
            record.append(index..<end, to: &text)
            ends.append(text.count)
            guard end < record.count else { return true }
            index = end + 1
        }
    }
}
