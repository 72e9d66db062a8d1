import Foundation
import TestSupport
import Testing

@testable import Model

@Suite("Languages")
struct LanguageTests {
    private static let pseudo = Result { try Language(catalog: PseudoLanguage.catalog()) }

    /// The words of Picket in a text that are not in the pseudo-language.
    private func englishWords(_ phrase: Phrase) throws -> [Substring] {
        // Values and the words of others are the same in every language.
        let text = phrase.mapForeignWords { _ in "" }.text(in: try Self.pseudo.get())
        return text.split { !($0.isASCII && $0.isLetter) }
    }

    @Test("A problem has all its texts in a language that only has a catalog", arguments: Problem.samples)
    func problems(_ problem: Problem) throws {
        for phrase in [problem.title, problem.message, problem.recoveryAction.label] {
            #expect(try englishWords(phrase) == [], "\(phrase)")
        }
        let json = problem.json(in: try Self.pseudo.get())
        #expect(json["title"]?.string == problem.title.text(in: try Self.pseudo.get()))
    }

    @Test("Numbers, lists, durations and forms are in a language that only has a catalog")
    func values() throws {
        let language = try Self.pseudo.get()
        #expect(language.rawValue == "en-XA" && language.number(1_234_567) == "1’234’567")
        #expect(Phrase.oneOf(["x", "y", "z"]).text(in: language) == "x, y" + PseudoLanguage.accented(" or ") + "z")
        #expect(language.duration(93_600) == PseudoLanguage.accented("1 d 2 h"))
        #expect(Phrase.elements(1).text(in: language) == PseudoLanguage.accented("it has 1 element"))
        #expect(Phrase.elements(2000).text(in: language) == PseudoLanguage.accented("it has 2’000 elements"))
        for notice in [ConnectionNotice.lost, .sendingPaused, .storedBefore(1), .refusedForNow(.cancelled)] {
            #expect(try englishWords(notice.message) == [])
        }
    }

    @Test(
        "The language that fits a tag or locale is found",
        arguments: [
            ("tr", "tr"), ("TR", "tr"), ("tr-TR", "tr"), ("tr_TR.UTF-8", "tr"), ("tr_TR@euro", "tr"), ("en_US.UTF-8", "en"),
            ("de-AT", "de"), ("tr-a-b-c", "tr"), ("-tr", nil), ("fr", nil), ("C", nil), ("", nil), ("*", nil), ("trk", nil),
            (".UTF-8", nil),
        ])
    func tags(_ tag: String, _ expected: String?) {
        #expect(Language(tag: tag)?.rawValue == expected)
    }

    @Test("A text of which a form lacks a translation is English, and lines may end as on Windows")
    func incompleteForms() throws {
        let catalog = """
            # A comment
            msgid ""
            msgstr ""
            "Language: xx\\n"

            msgid "it has {0} element"
            msgid_plural "it has {0} elements"
            msgstr[0] "x {0}"
            msgstr[1] ""

            msgid "it is missing"
            msgstr "x"
            """
        for text in [catalog, catalog.replacing("\n", with: "\r\n")] {
            let language = try Language(catalog: text)
            for count in 1...2 {
                #expect(Phrase.elements(count).text(in: language) == Phrase.elements(count).text(in: .english))
            }
            #expect(Phrase.missing.text(in: language) == "x")
        }
    }

    @Test("There is English, and a language for each catalog of this repository")
    func available() throws {
        let folder = SharedData.checkout.appending(path: "data/languages")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let tags = files.filter { $0.pathExtension == "po" }.map { $0.deletingPathExtension().lastPathComponent }
        #expect(Language.allCases.map(\.rawValue) == ["en"] + tags.sorted())
        for language in Language.allCases { #expect(Language(rawValue: language.rawValue) == language) }
        #expect(Language(rawValue: "TR") == nil && Language(rawValue: "xx") == nil)
    }

    @Test("An app adds a catalog, and a mistake in it adds nothing")
    func added() throws {
        let before = Language.allCases
        let turkish = try String(contentsOf: SharedData.checkout.appending(path: "data/languages/tr.po"), encoding: .utf8)
        // The same language again, because other tests run at the same time and visit all languages.
        try Language.add(catalog: turkish)
        #expect(Language.allCases == before)
        #expect(Phrase.missing.text(in: try #require(Language(rawValue: "tr"))) == "eksik")
        let header = "msgid \"\"\nmsgstr \"\"\n\"Language: xx\\n\"\n"
        #expect(throws: Problem.decodingFailed(source: .catalog, line: 4, reason: "a text is not closed")) {
            try Language.add(catalog: header + "msgid \"a")
        }
        #expect(throws: Problem.self) { try Language.add(catalog: "msgid \"a\"\nmsgstr \"b\"") }
        #expect(Language.allCases == before)
    }
}
