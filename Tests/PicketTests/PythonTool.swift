import Foundation
import TestSupport
import Testing

/// Runs the programs in `tools` that are written in Python.
enum PythonTool {
    /// Whether there is `python3`.
    static var canRun: Bool { Tool("python3") != nil }

    /// Runs a tool with the program under test, and returns its status and everything that it printed.
    static func run(_ name: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let words = [SharedData.checkout.appending(path: "tools/\(name)").path] + arguments + ["--program", Program.path]
        return try await BlockingCall.run { try #require(Tool("python3")).run(words) }
    }
}
