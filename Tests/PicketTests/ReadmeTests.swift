import Foundation
import TestSupport
import Testing

@Suite("The documents")
struct ReadmeTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: SharedData.checkout.appending(path: path), encoding: .utf8)
    }

    @Test("Show what the program does")
    func readme() throws {
        let session = ConsoleSession(try text("README.md"))
        #expect(session.steps.count > 10)
        try session.run("README.md")
    }

    @Test("Show what the service answers")
    func service() throws {
        let session = ConsoleSession(try text("docs/service.md"))
        #expect(session.steps.count > 10)
        try session.run("docs/service.md", port: try FreePort.take())
    }

    @Test("Show how it is explained that something fired, or did not")
    func explain() throws {
        let session = ConsoleSession(try text("docs/explain.md"))
        #expect(session.steps.count > 5)
        try session.run("docs/explain.md")
    }

    @Test("Show what becomes of late fixes")
    func lateFixes() throws {
        let session = ConsoleSession(try text("docs/late-fixes.md"))
        #expect(session.steps.count > 8)
        try session.run("docs/late-fixes.md")
    }

    @Test("Quote the demo as it is")
    func demo() throws {
        let shell = try Shell()
        let real = try shell.picket.run("demo").output.split(separator: "\n").map(String.init)
        let readme = try text("README.md")
        let block = try #require(
            readme.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "```").first)
        for line in block.split(separator: "\n") where line != "…" {
            #expect(real.contains { $0.hasPrefix(line) }, "\(line)")
        }
    }
}
