/// A manual page in the making (man(7)).
struct Roff {
    private(set) var text = ""

    /// The page's heading: its name, its section, what stands below and above.
    mutating func title(_ name: String, section: Int, source: String, manual: String) {
        request("TH", [name, "\(section)", "", source, manual])
    }

    mutating func section(_ name: String) { request("SH", [name]) }

    mutating func subsection(_ name: String) { request("SS", [name]) }

    /// A paragraph, filled.
    mutating func paragraph(_ words: String) {
        text += ".PP\n"
        lines(words)
    }

    /// A term, and below it what it means.
    mutating func item(_ term: String, _ meaning: String) {
        text += ".TP\n"
        request("B", [term])
        lines(meaning)
    }

    /// Lines as they are.
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
            // Such a line would be a request.
            text += (line.hasPrefix(".") || line.hasPrefix("\\[aq]") ? "\\&" : "") + line + "\n"
        }
    }

    /// Characters that roff reads, or prints, as others: groff_char(7).
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
