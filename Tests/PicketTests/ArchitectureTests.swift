import Foundation
import TestSupport
import Testing

@Suite("Architecture page")
struct ArchitectureTests {
    /// The text of the file that declares a type.
    private func source(of type: String) throws -> String {
        let sources = SharedData.checkout.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            if file.lastPathComponent == type + ".swift" { return try String(contentsOf: file, encoding: .utf8) }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    @Test("The walk of a position has ten lines, and each step calls the next, except from thread to thread")
    func walk() throws {
        let page = try String(contentsOf: SharedData.checkout.appending(path: "docs/architecture.md"), encoding: .utf8)
        let section = try #require(page.split(separator: "## One position\n").last?.split(separator: "\n## ").first)
        let steps = section.split(separator: "\n").filter { $0.first?.isNumber == true }
        #expect(steps.count == 10)
        var known: [String] = []
        for (index, step) in steps.enumerated() {
            #expect(step.hasPrefix("\(index + 1). `"))
            let name = try #require(step.split(separator: "`").dropFirst().first?.split(separator: "."))
            let (type, function) = (String(name[0]), String(name[1]))
            // `ServiceWriter` and the engine are extended in many files.
            if !known.isEmpty, !step.contains("thread, ") {
                #expect(known.contains { $0.contains("\(function)(") }, "no earlier step calls \(type).\(function)")
            }
            known.append(try source(of: type))
        }
    }
}
