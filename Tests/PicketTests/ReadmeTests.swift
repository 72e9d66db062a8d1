import Foundation
import TestSupport
import Testing

/// What a document shows: commands, and what they print.
struct ConsoleSession {
    struct Step {
        var line: Int
        var command: String
        var output: [String] = []
        var status: Int32 = 0
    }

    var steps: [Step] = []

    /// The steps of all `console` blocks: `$ command`, its output (errors included), and `[status]` where it is not 0.
    init(_ document: String) {
        var isInside = false
        for (number, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                steps.append(Step(line: number + 1, command: String(line.dropFirst(2))))
            } else if isInside, let last = steps.indices.last {
                if line.hasPrefix("["), line.hasSuffix("]"), let status = Int32(line.dropFirst().dropLast()) {
                    steps[last].status = status
                } else {
                    steps[last].output.append(String(line))
                }
            }
        }
    }
}

@Suite("The README")
struct ReadmeTests {
    /// Whether lines are as shown: `…` in a line stands for anything, `…` alone for any number of lines.
    private func matches(_ shown: ArraySlice<String>, _ real: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return real.isEmpty }
        if first == "…" {
            return (0...real.count).contains { matches(shown.dropFirst(), real.dropFirst($0)) }
        }
        guard let line = real.first else { return false }
        let parts = first.components(separatedBy: "…").map(NSRegularExpression.escapedPattern(for:))
        guard line.range(of: "^" + parts.joined(separator: ".*") + "$", options: .regularExpression) != nil else { return false }
        return matches(shown.dropFirst(), real.dropFirst())
    }

    @Test("Shows what the program does")
    func sessions() throws {
        let directory = try TemporaryDirectory()
        let manager = FileManager.default
        try manager.createDirectory(atPath: directory.path + "/bin", withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: directory.path + "/bin/picket", withDestinationPath: Program.path)
        try manager.createSymbolicLink(
            atPath: directory.path + "/data", withDestinationPath: SharedData.checkout.appending(path: "data").path)
        let readme = try String(contentsOf: SharedData.checkout.appending(path: "README.md"), encoding: .utf8)
        let session = ConsoleSession(readme)
        #expect(session.steps.count > 10)
        for step in session.steps {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "exec 2>&1\n" + step.command]
            process.currentDirectoryURL = URL(filePath: directory.path)
            process.environment = ProcessInfo.processInfo.environment.merging([
                "PATH": directory.path + "/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
                "PICKET_DATA": directory.path + "/store",
            ]) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
            #expect(process.terminationStatus == step.status, "README.md:\(step.line): \(step.command)\n\(text)")
            #expect(matches(step.output[...], lines[...]), "README.md:\(step.line): \(step.command)\n\(text)")
        }
    }

    @Test("Quotes the demo as it is")
    func demo() throws {
        let shell = try Shell()
        let real = try shell.picket.run("demo").output.split(separator: "\n").map(String.init)
        let readme = try String(contentsOf: SharedData.checkout.appending(path: "README.md"), encoding: .utf8)
        let block = try #require(
            readme.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "```").first)
        for line in block.split(separator: "\n") where line != "…" {
            #expect(real.contains { $0.hasPrefix(line) }, "\(line)")
        }
    }
}
