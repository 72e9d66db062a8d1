/// The translations of a language, from a file in the format of GNU gettext
/// (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html).
///
/// Its header names the language, the forms for numbers and, with `X-Thousands-Separator` and `X-Decimal-Separator`, how it writes
/// numbers.
package final class Catalog: Sendable {
    /// By English text.
    private let entries: [String: Entry]
    private let pluralRule: PluralRule
    /// The tag of the language; nil if the header lacks it.
    let tag: String?
    /// The name of the language in the language itself, for example "Türkçe"; nil if the header lacks it.
    package let languageName: String?
    /// Separates groups of three digits.
    let thousandsSeparator: String
    let decimalSeparator: String

    /// A translated text.
    struct Entry {
        /// One translation, or one for each form of a number.
        var forms: [String]
        /// The name of the file that uses the text.
        var file: String
    }

    /// A mistake in a file.
    struct Flaw: Error, Equatable {
        /// Counted from 1.
        var line: Int
        var reason: String
    }

    /// Reads the content of a file.
    init(po content: String) throws(Flaw) {
        var reader = CatalogReader()
        for (index, line) in content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            try reader.read(line, number: index + 1)
        }
        reader.finishEntry()
        let header = reader.entries.removeValue(forKey: "")?.forms.first?.split(separator: "\n") ?? []
        entries = reader.entries
        languageName = Self.field("X-Language-Name", of: header)
        var rule = PluralRule.english
        if let line = header.first(where: { $0.hasPrefix("Plural-Forms:") }) {
            guard let own = PluralRule(header: line) else { throw Flaw(line: 1, reason: "Plural-Forms cannot be read") }
            rule = own
        }
        pluralRule = rule
        tag = Self.field("Language", of: header)?.replacing("_", with: "-")
        thousandsSeparator = Self.field("X-Thousands-Separator", of: header) ?? ","
        decimalSeparator = Self.field("X-Decimal-Separator", of: header) ?? "."
    }

    /// A field of the header; nil if it is missing or empty.
    private static func field(_ name: String, of header: [Substring]) -> String? {
        let line = header.first { $0.hasPrefix(name + ":") }
        let value = line?.dropFirst(name.count + 1).drop { $0 == " " } ?? ""
        return value.isEmpty ? nil : String(value)
    }

    /// The translation of an English text; nil if there is none.
    func translation(of english: String) -> String? { entries[english]?.forms.first }

    /// The translation of an English text in the form for a number; nil if there is none.
    ///
    /// - Parameter english: The text for the number 1.
    func translation(of english: String, count: Int) -> String? {
        guard let forms = entries[english]?.forms else { return nil }
        let form = form(of: count)
        return forms.indices.contains(form) ? forms[form] : forms.last
    }

    /// The index of the form for a number.
    package func form(of count: Int) -> Int { pluralRule.form(of: count) }

    /// The translations of the texts that the files of a folder use, by English text: one, or one for each form of a number.
    ///
    /// - Parameter folder: The folder in the repository, for example `Sources/Dashboard/`.
    package func translations(in folder: String) -> [String: [String]] {
        entries.filter { $0.value.file.hasPrefix(folder) }.mapValues(\.forms)
    }
}

/// Reads a catalog line by line.
private struct CatalogReader {
    var entries: [String: Catalog.Entry] = [:]
    /// The file that the last comment of the form `#. FILE` named. It uses the texts that follow.
    private var file = ""
    private var source: String?
    private var forms: [String] = []
    /// What a text in quotation marks belongs to.
    private var part = Part.none

    private enum Part { case none, source, plural, translation }

    mutating func read(_ line: Substring, number: Int) throws(Catalog.Flaw) {
        if line.hasPrefix("#. ") {
            finishEntry()
            file = String(line.dropFirst(3))
        }
        if line.isEmpty || line.hasPrefix("#") { return }
        guard let quote = line.firstIndex(of: "\"") else {
            throw Catalog.Flaw(line: number, reason: "there is no text in quotation marks")
        }
        switch line[..<quote].prefix(while: { $0 != " " && $0 != "[" }) {
        case "": break
        case "msgid":
            finishEntry()
            (source, part) = ("", .source)
        case "msgid_plural": part = .plural
        case "msgstr":
            forms.append("")
            part = .translation
        case let word: throw Catalog.Flaw(line: number, reason: "'\(word)' is not known")
        }
        let quoted = line[quote...]
        guard quoted.utf8.count >= 2, quoted.utf8.last == UInt8(ascii: "\"") else {
            throw Catalog.Flaw(line: number, reason: "a text is not closed")
        }
        let text = Self.unescaped(quoted.dropFirst().dropLast())
        switch part {
        case .none: throw Catalog.Flaw(line: number, reason: "a text belongs to no 'msgid'")
        case .source: source? += text
        // The text for the number 1 identifies the entry.
        case .plural: break
        case .translation: forms[forms.count - 1] += text
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character == "n" ? "\n" : character == "t" ? "\t" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }

    /// Keeps the entry that was read. One without a translation stays English.
    mutating func finishEntry() {
        if let source, !forms.isEmpty, forms.allSatisfy({ !$0.isEmpty }) {
            entries[source] = Catalog.Entry(forms: forms, file: file)
        }
        (source, forms, part) = (nil, [], .none)
    }
}
