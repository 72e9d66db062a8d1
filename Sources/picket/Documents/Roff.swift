/// Builds a manual page in roff (man(7)).
struct Roff {
    private(set) var text = ""

    /// Sets the page's title line: its name and section, and the texts for footer and header.
    mutating func title(_ name: String, section: Int, source: String, manual: String) {
        request("TH", [name, "\(section)", "", source, manual])
    }

    mutating func section(_ name: String) { request("SH", [name]) }

    mutating func subsection(_ name: String) { request("SS", [name]) }

    /// Adds a paragraph whose lines are filled.
    mutating func paragraph(_ words: String) {
        text += ".PP\n"
        lines(words)
    }

    /// Adds a term, and its meaning indented below it.
    mutating func item(_ term: String, _ meaning: String) {
        text += ".TP\n"
        request("B", [term])
        lines(meaning)
    }

    /// Adds lines that are not filled.
    mutating func literal(_ lines: [String]) {
        text += ".PP\n.nf\n.RS\n"
        for line in lines { self.lines(line) }
        text += ".RE\n.fi\n"
    }

    private mutating func request(_ name: String, _ arguments: [String]) {
        text += ".\(name)" + arguments.map { " \"\(Self.escaped($0, isQuoted: true))\"" }.joined() + "\n"
    }

    private mutating func lines(_ words: String) {
        for line in words.split(separator: "\n", omittingEmptySubsequences: true) {
            let line = Self.escaped(line.drop { $0 == " " })
            // roff would read a line that begins with a dot or an apostrophe as a request.
            text += (line.hasPrefix(".") || line.hasPrefix("\\[aq]") ? "\\&" : "") + line + "\n"
        }
    }

    /// Escapes the characters that roff would interpret or print differently: groff_char(7).
    private static func escaped(_ words: some StringProtocol, isQuoted: Bool = false) -> String {
        var text = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\\": text += "\\[rs]"
            case "-": text += "\\-"
            case "'": text += "\\[aq]"
            case "`": text += "\\[ga]"
            case "^": text += "\\[ha]"
            case "~": text += "\\[ti]"
            case "\"" where isQuoted: text += "\\[dq]"
            case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return text
    }
}
