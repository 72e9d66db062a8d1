import Foundation
import TestSupport
import Testing

@testable import Model

@Suite("Texts and their translations")
struct PhraseTests {
    // `Phrase("…")` would be a foreign text here; see `ForeignWords` of TestSupport.

    @Test("A text has its values in the order of each language, and braces stay")
    func values() throws {
        let phrase = Phrase.init("'\("a")' needs {\(1_234_567)} of \(list: ["x", "y"]), \(choice: ["x", "y", "z"])")
        #expect(phrase.text(in: .english) == "'a' needs {1,234,567} of x, y, x, y or z")
        guard case .template(let template) = phrase.content else { throw Missing() }
        #expect(template.format == "'{0}' needs {{{1}}} of {2}, {3}")
        #expect(template.text(with: "{3}: {{{1}}} {0}", in: .turkish) == "x, y ya da z: {1.234.567} a")
        // A mistake in a catalog, which tools/texts finds, is shown as it is.
        #expect(template.text(with: "{7} {x} {", in: .turkish) == "{7} {x} {")
    }

    private struct Missing: Error {}

    @Test("A text has the form for its number, and is translated")
    func numbers() {
        func bytes(_ count: Int) -> Phrase { Phrase(count, one: "it has \(count) element", other: "it has \(count) elements") }
        #expect(bytes(1).text(in: .english) == "it has 1 element")
        #expect(bytes(2000).text(in: .english) == "it has 2,000 elements")
        #expect(bytes(2000).text(in: .turkish) == "2.000 öğesi var")
        #expect(Phrase.missing.text(in: .turkish) == "eksik")
        #expect(Phrase.expecting(.missing, .trueOrFalse).text(in: .turkish) == "eksik; beklenen: true ya da false")
        #expect(Phrase.init("no catalog has this: \(5)").text(in: .turkish) == "no catalog has this: 5")
    }

    @Test(
        "A length is rounded, and has the unit that fits",
        arguments: [
            (0, "0 m", "0 m"), (4.46, "4.5 m", "4,5 m"), (9.96, "10 m", "10 m"), (350.4, "350 m", "350 m"),
            (999.6, "1 km", "1 km"), (1234, "1.2 km", "1,2 km"), (99_960, "100 km", "100 km"),
            (1_234_567, "1,235 km", "1.235 km"), (-12, "12 m", "12 m"),
            (.infinity, "no length", "belirsiz uzunluk"),
        ] as [(Double, String, String)])
    func lengths(_ meters: Double, _ english: String, _ turkish: String) {
        let length = Phrase.init("\(length: meters)")
        #expect(length.text(in: .english) == english && length.text(in: .turkish) == turkish)
    }

    @Test("Texts are equal if they say the same, and have the same text if only values differ")
    func equality() {
        #expect(Phrase.init("it is missing") == .missing)
        #expect(Phrase.longerThan(5) != .longerThan(6) && Phrase.longerThan(5).isSameText(as: .longerThan(6)))
        #expect(!Phrase.longerThan(5).isSameText(as: .moreThan(5)))
        #expect(Phrase.ofValue("secret", .verbatim("secret")).mapForeignWords { _ in "…" }.description == "'…': …")
    }

    @Test("A text is the same in every language on the other side")
    func record() throws {
        for phrase in [.missing, .expecting(.missing, .oneOf(["a", "b"])), .elements(3), .verbatim("x")] as [Phrase] {
            let json = try JSONParser.parse(JSONValue.compact(phrase.members()).description)
            let read = try #require(Phrase(json: json))
            for language in Language.allCases { #expect(read.text(in: language) == phrase.text(in: language)) }
            #expect((json["reasonIn"] == nil) == (phrase == .verbatim("x")))
        }
    }

    @Test("A catalog is read, with the forms of its language")
    func catalog() throws {
        let catalog = try Catalog(
            po: """
                # A language with three forms.
                msgid ""
                msgstr ""
                "X-Language-Name: polski\\n"
                "Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\\n"

                #. Sources/A.swift
                msgid "a \\"quoted\\" "
                "text"
                msgstr "ein \\"Text\\"\\n"

                #. Sources/Dashboard/b.js
                #, python-brace-format
                msgid "{0} file"
                msgid_plural "{0} files"
                msgstr[0] "{0} plik"
                msgstr[1] "{0} pliki"
                msgstr[2] "{0} plików"

                msgid "untranslated"
                msgstr ""
                """)
        #expect(catalog.translation(of: "a \"quoted\" text") == "ein \"Text\"\n")
        #expect(catalog.translation(of: "untranslated") == nil && catalog.translation(of: "other") == nil)
        for (count, form) in [(1, "plik"), (2, "pliki"), (5, "plików"), (12, "plików"), (22, "pliki"), (112, "plików")] {
            #expect(catalog.translation(of: "{0} file", count: count) == "{0} \(form)", "\(count)")
        }
        #expect(catalog.languageName == "polski")
        #expect(catalog.translations(in: "Sources/Dashboard/") == ["{0} file": ["{0} plik", "{0} pliki", "{0} plików"]])
    }

    @Test("The catalogs of this repository can be read")
    func repository() throws {
        let folder = SharedData.checkout.appending(path: "data/languages")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.map(\.lastPathComponent).contains("tr.po"))
        for file in files {
            let catalog = try Catalog(po: String(contentsOf: file, encoding: .utf8))
            #expect(catalog.translation(of: "it is missing") != nil, "\(file.lastPathComponent)")
        }
    }

    @Test(
        "A mistake in a catalog is named with its line",
        arguments: [
            ("msgid \"a\"\nmsgstr b", 2), ("msgid \"a", 1), ("\"a\"", 1), ("msgid \"a\"\n\nmsgtext \"b\"", 3),
            ("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=2; plural=n >< 1;\\n\"", 1),
        ])
    func mistakes(_ content: String, _ line: Int) {
        #expect(throws: Catalog.Flaw.self) { try Catalog(po: content) }
        do {
            _ = try Catalog(po: content)
        } catch {
            #expect(error.line == line && !error.reason.isEmpty)
        }
    }

    @Test("The limits of a length of time are named")
    func bounds() {
        #expect(Phrase.seconds(60...31_622_400).description == "a number of seconds from 1m to 366d")
        #expect(Phrase.duration(0...TimeSpan.longest).description == "a duration, for example 30s, 10m, 2h or 90d")
    }
}
