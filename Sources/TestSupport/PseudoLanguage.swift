import Foundation

/// A language for tests that only a catalog defines: English with an accent on every letter, so that a text without a translation shows.
package enum PseudoLanguage {
    /// The tag of the language.
    package static let tag = "en-XA"

    /// The content of its catalog: every text that the Turkish catalog has. Places for values stay.
    package static func catalog() throws -> String {
        let turkish = try String(contentsOf: SharedData.checkout.appending(path: "data/languages/tr.po"), encoding: .utf8)
        var lines = [
            "msgid \"\"", "msgstr \"\"", "\"Language: \(tag)\\n\"", "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"",
            "\"X-Thousands-Separator: ’\\n\"",
        ]
        var forms: [Substring] = []
        func finishEntry() {
            for (index, form) in forms.enumerated() {
                lines.append((forms.count == 1 ? "msgstr " : "msgstr[\(index)] ") + accented(String(form)))
            }
            forms = []
        }
        for line in turkish.split(separator: "\n") {
            guard line.hasPrefix("msgid"), line != "msgid \"\"" else { continue }
            if line.hasPrefix("msgid ") { finishEntry() }
            lines.append(String(line))
            forms.append(line[line.firstIndex(of: "\"")!...])
        }
        finishEntry()
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text as the language has it.
    package static func accented(_ english: String) -> String {
        var (result, previous): (String, Character) = ("", " ")
        for character in english {
            // `\n` in a catalog is an end of a line.
            result.append(previous == "\\" ? character : letters[character] ?? character)
            previous = previous == "\\" ? " " : character
        }
        return result
    }

    private static let letters = Dictionary(
        uniqueKeysWithValues: zip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśťúṽŵẋýźÁɃĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŹ"))
}
