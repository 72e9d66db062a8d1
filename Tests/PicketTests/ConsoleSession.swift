import Foundation
import TestSupport
import Testing

/// The console examples in a document: commands and their output.
struct ConsoleSession {
    struct Step {
        var line: Int
        var command: String
        var output: [String] = []
        var status: Int32 = 0
    }

    var steps: [Step] = []

    /// The steps in all `console` blocks: `$ command`, its output including errors, and `[status]` if the exit status is not 0.
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

extension ConsoleSession {
    /// Whether lines match the example: `…` within a line stands for any text, and a line `…` for any number of lines.
    static func matches(_ shown: ArraySlice<String>, _ real: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return real.isEmpty }
        if first == "…" {
            return (0...real.count).contains { matches(shown.dropFirst(), real.dropFirst($0)) }
        }
        guard let line = real.first else { return false }
        let parts = first.components(separatedBy: "…").map(NSRegularExpression.escapedPattern(for:))
        guard line.range(of: "^" + parts.joined(separator: ".*") + "$", options: .regularExpression) != nil else { return false }
        return matches(shown.dropFirst(), real.dropFirst())
    }

    /// Runs the steps one after the other in a temporary directory, and checks their output.
    ///
    /// A command that ends with `&` runs in the background, and is ended after the last step.
    ///
    /// - Parameter port: Replaces the port in the document, which may be in use.
    func run(_ name: String, port: Int? = nil) throws {
        let directory = try TemporaryDirectory()
        let manager = FileManager.default
        try manager.createDirectory(atPath: directory.path + "/bin", withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: directory.path + "/bin/picket", withDestinationPath: Program.path)
        try manager.createSymbolicLink(
            atPath: directory.path + "/data", withDestinationPath: SharedData.checkout.appending(path: "data").path)
        var running: [TestProcess] = []
        defer { for process in running { process.kill() } }
        for step in steps {
            func real(_ text: String) -> String { port.map { text.replacingOccurrences(of: "7575", with: String($0)) } ?? text }
            let goesOn = step.command.hasSuffix(" &")
            let command = real(goesOn ? "exec " + step.command.dropLast(2) : step.command)
            var environment = TestProcess.environment
            environment["PATH"] = directory.path + "/bin:" + (environment["PATH"] ?? "")
            environment["PICKET_DATA"] = directory.path + "/store"
            if goesOn, let port { environment["PICKET_LISTEN"] = "127.0.0.1:\(port)" }
            let pipe = Pipe()
            let process = try TestProcess(
                "/bin/sh", ["-c", goesOn ? command : "exec 2>&1\n" + command], environment: environment,
                directory: directory.path, output: .pipe(pipe), errors: goesOn ? .null : .inherited)
            var text = ""
            if goesOn {
                running.append(process)
                while text.count(where: { $0 == "\n" }) < step.output.count {
                    let data = pipe.fileHandleForReading.availableData
                    if data.isEmpty { break }
                    text += String(decoding: data, as: UTF8.self)
                }
            } else {
                text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                #expect(process.terminationStatus == step.status, "\(name):\(step.line): \(step.command)\n\(text)")
            }
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last == "" { lines.removeLast() }
            #expect(
                Self.matches(step.output.map(real)[...], lines[...]), "\(name):\(step.line): \(step.command)\n\(text)")
        }
    }
}
