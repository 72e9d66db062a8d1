import Foundation

/// A language for tests that only a catalog defines: English with an accent on every letter, so that a text without a translation shows.
package enum PseudoLanguage {
    /// The tag of the language.
    package static let tag = "en-XA"
    /// The name of the language in its catalog.
    package static let name = accented("Pseudo")

    /// The content of its catalog: every text that the Turkish catalog has, under the file that uses it. Places for values stay.
    package static func catalog() throws -> String {
        let turkish = try String(contentsOf: SharedData.checkout.appending(path: "data/languages/tr.po"), encoding: .utf8)
        var lines = [
            "msgid \"\"", "msgstr \"\"", "\"Language: \(tag)\\n\"", "\"X-Language-Name: \(name)\\n\"",
            "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"", "\"X-Thousands-Separator: ’\\n\"",
        ]
        var forms: [Substring] = []
        func finishEntry() {
            for (index, form) in forms.enumerated() {
                lines.append((forms.count == 1 ? "msgstr " : "msgstr[\(index)] ") + accented(String(form)))
            }
            forms = []
        }
        for line in turkish.split(separator: "\n") {
            let namesFile = line.hasPrefix("#. ")
            guard namesFile || line.hasPrefix("msgid"), line != "msgid \"\"" else { continue }
            if namesFile || line.hasPrefix("msgid ") { finishEntry() }
            lines.append(String(line))
            if !namesFile { forms.append(line[line.firstIndex(of: "\"")!...]) }
        }
        finishEntry()
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text as the language has it.
    package static func accented(_ english: String) -> String {
        var (result, previous): (String, Character) = ("", " ")
        var isName = false
        for character in english {
            // Braces enclose the name of a value. Two of them are a brace of the text.
            if character == "{" { isName.toggle() } else if character == "}" { isName = false }
            // `\n` in a catalog is an end of a line.
            let isKept = isName || previous == "\\"
            result.append(isKept ? character : letters[character] ?? character)
            previous = previous == "\\" ? " " : character
        }
        return result
    }

    /// Installs the program and its dashboard, with this language as the only one besides English.
    ///
    /// - Returns: The installed program. Its data directory is `data` in the folder.
    package static func installed(in folder: TemporaryDirectory) throws -> Program {
        let (programs, shared) = (folder.path + "/bin", folder.path + "/share/picket")
        let languages = shared + "/data/languages"
        for path in [programs, languages] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        // The program finds its folder by its own path, so a link would be the built program.
        try FileManager.default.copyItem(atPath: Program.path, toPath: programs + "/picket")
        let dashboard = SharedData.checkout.appending(path: "Sources/Dashboard").path
        try FileManager.default.copyItem(atPath: dashboard, toPath: shared + "/dashboard")
        try catalog().write(toFile: "\(languages)/\(tag).po", atomically: true, encoding: .utf8)
        var program = Program(data: folder.path + "/data")
        program.executable = programs + "/picket"
        return program
    }

    private static let letters = Dictionary(
        uniqueKeysWithValues: zip(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "áƀćđéƒǵĥíĵķĺḿńóṕɋŕśťúṽŵẋýźÁɃĆĐÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŤÚṼŴẊÝŹ"))
}
