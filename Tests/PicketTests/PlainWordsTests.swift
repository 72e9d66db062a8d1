import Foundation
import Model
import TestSupport
import Testing
import ToolSupport

@testable import picket

@Suite("Plain words")
struct PlainWordsTests {
    /// Pages for developers, besides those in `docs/internals`. The glossary explains the terms.
    private static let pagesForDevelopers: Set = ["CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"]

    private static func isForDevelopers(_ page: String) -> Bool {
        page.hasPrefix("docs/internals/") || pagesForDevelopers.contains(page)
    }

    /// The paths of all pages of the documentation.
    private static func pages() throws -> [String] {
        let docs = try FileManager.default.subpathsOfDirectory(atPath: SharedData.checkout.appending(path: "docs").path)
        return ["README.md", "CONTRIBUTING.md"] + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }

    @Test("The documentation uses plain words")
    func documentation() throws {
        let pages = try Self.pages()
        #expect(pages.count > 30)
        for page in pages {
            let text = try String(contentsOf: SharedData.checkout.appending(path: page), encoding: .utf8)
            let words = Self.isForDevelopers(page) ? PlainWords.everywhere : PlainWords.forUsers
            for finding in try words.findings(in: MarkdownProse.text(of: text)) {
                Issue.record("\(page):\(finding)")
            }
        }
    }

    @Test("The help of commands uses plain words")
    func help() throws {
        #expect(Picket.commands.count > 60)
        for command in Picket.commands {
            let texts = [command.summary, command.discussion] + command.allOptions.map(\.help)
            for text in texts { try Self.check(text, of: "picket \(command.name)") }
        }
    }

    @Test("Messages use plain words")
    func messages() throws {
        for problem in Problem.samples {
            for text in [problem.title.description, problem.message.description] { try Self.check(text, of: problem.code) }
        }
        // The catalog has every text.
        let catalog = try String(contentsOf: SharedData.checkout.appending(path: "data/languages/tr.po"), encoding: .utf8)
        let texts = catalog.split(separator: "\n").filter { $0.hasPrefix("msgid \"") }
        #expect(texts.count > 700)
        for text in texts { try Self.check(String(text.dropFirst(7).dropLast()), of: "data/languages") }
    }

    /// - Parameter name: What the text belongs to.
    private static func check(_ text: String, of name: String) throws {
        // Words in quotation marks are values, commands and names of fields. Words in braces are names of values in the code.
        let prose = text.replacingOccurrences(of: "(?<![A-Za-z])'[^']*'", with: "'…'", options: .regularExpression)
            .replacingOccurrences(of: #"\{\w+\}"#, with: "…", options: .regularExpression)
        for finding in try PlainWords.forUsers.findings(in: prose) { Issue.record("\(name): \(text): \(finding)") }
    }

    @Test("Phrases are found by whole words, even across lines")
    func phrases() throws {
        let words = PlainWords(avoided: [.init("goes on", "continues"), .init("stand", "are open", allowed: ["stand for"])])
        let text = "It Goes\non, a stand-in does not.\nDots stand for text. Problems stand."
        #expect(
            try words.findings(in: text).map(\.description) == [
                "1: 'goes on', better: continues", "3: 'stand', better: are open",
            ])
    }

    @Test("The prose of a page has no code, no targets of links and no terms that it defines, and the same lines")
    func prose() {
        let page = """
            A *fix* is **bold** `code` and a [link](fix.md#fix).
            ```console
            $ picket fix
            ```
                picket fix
            End.
            """
        #expect(MarkdownProse.text(of: page) == "A   is **bold**   and a [link] .\n\n\n\n\nEnd.")
    }
}
