// Values in the form in which sentences contain them.

extension Int {
    /// 1234567 as 1,234,567, with the separator of a language.
    package func grouped(by separator: String) -> String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += separator }
            text.append(digit)
        }
        return text
    }

    /// The count with its English noun: "1 fix", "2,000 fixes".
    package func counted(_ one: String, _ many: String) -> String { "\(grouped(by: ",")) \(self == 1 ? one : many)" }
}

extension [String] {
    /// The words joined, the last one by another separator.
    func joined(separator: String, last: String) -> String {
        guard let end = self.last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: separator) + last + end
    }
}

extension UInt8 {
    /// The byte as a character within quotation marks; nil for a byte that is not a printable ASCII character.
    var printable: String? { self > 0x20 && self < 0x7F ? "'\(Character(UnicodeScalar(self)))'" : nil }
}

extension JSONFlaw: CustomStringConvertible {
    /// The words in English, as in logs and details.
    public var description: String { phrase.description }
}
