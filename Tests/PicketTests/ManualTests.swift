import Foundation
import TestSupport
import Testing

@Suite("Manual page")
struct ManualTests {
    private func page() throws -> String {
        let result = try Program(data: try TemporaryDirectory().path).run("manual")
        #expect(result.status == 0 && result.errors.isEmpty)
        return result.output
    }

    @Test("The page is plain ASCII")
    func ascii() throws {
        #expect(try page().utf8.allSatisfy { $0 == 10 || 32..<127 ~= $0 })
    }

    @Test("The page describes every command and setting as the help does")
    func complete() throws {
        guard let groff = Tool("groff") else { return Tool.skipped("the manual page", without: "groff") }
        let directory = try TemporaryDirectory()
        let file = try directory.write(try page(), to: "picket.1")
        // groff's warnings are part of the output, and there must be none.
        let warnings = try groff.run(["-man", "-ww", "-Tutf8", "-z", file])
        #expect(warnings.status == 0 && warnings.output.isEmpty, "\(warnings.output)")
        let shown = try groff.run(["-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-rLL=400n", "-rHY=0", file]).output
        let picket = Program(data: directory.path)
        let commands = try CommandHelp.all()
        #expect(commands.count > 30)
        let words = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for help in commands {
            for line in help.lines
            where line != "Options:" && !line.hasPrefix("Example") && !line.hasPrefix("Usage") {
                let said = line.replacing(" (repeatable)", with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(words.contains(said), "\(help.command): \(said)")
            }
        }
        for setting in try picket.run("config").lines.dropFirst().compactMap({ $0.split(separator: " ").first }) {
            #expect(words.contains("PICKET_" + setting.uppercased().replacing("-", with: "_")), "\(setting)")
        }
    }

    @Test("No line starts with an unknown request, and backslashes and quotes are kept")
    func escapes() throws {
        let known: Set<Substring> = [".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi", ".RS", ".RE"]
        for line in try page().split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }
}
