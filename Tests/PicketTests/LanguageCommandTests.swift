import Foundation
import Model
import TestSupport
import Testing

@Suite("Languages of the command line")
struct LanguageCommandTests {
    @Test("A catalog beside an installed program is a language of commands and problems")
    func installed() throws {
        let folder = try TemporaryDirectory()
        let languages = folder.path + "/share/picket/data/languages"
        let program = folder.path + "/bin/picket"
        for path in [languages, folder.path + "/bin"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        // The program finds its folder by its own path, so a link would be the built program.
        try FileManager.default.copyItem(atPath: Program.path, toPath: program)
        try PseudoLanguage.catalog().write(
            toFile: "\(languages)/\(PseudoLanguage.tag).po", atomically: true, encoding: .utf8)
        var picket = Program(data: folder.path + "/data")
        picket.executable = program

        try picket.run("device", "add", "mia")
        let none = try picket.run("problems", "--language", PseudoLanguage.tag)
        #expect(none.lines == [PseudoLanguage.accented("No open problems.")])
        let unknown = try picket.run("device", "show", "mai", "--language", PseudoLanguage.tag)
        let (title, rest) = (PseudoLanguage.accented("No such device"), PseudoLanguage.accented("There is no device"))
        #expect(unknown.status != 0 && unknown.errors.hasPrefix("\(title): \(rest) 'mai'. "))
        picket.environment["LANG"] = "en_XA.UTF-8"
        let json = try JSONParser.parse(picket.run("device", "show", "mai", "--json").errors)
        #expect(json["problem"]?["title"]?.string == title)
        // The installation has no other language.
        picket.environment["LANG"] = "tr_TR.UTF-8"
        #expect(try picket.run("problems").lines == ["No open problems."])
        let refused = try picket.run("problems", "--language", "tr")
        #expect(refused.status == 2 && refused.errors.contains(PseudoLanguage.tag))
    }
}
