import Foundation
import TestSupport

/// Runs the programs in `tools` that are written in Python.
enum PythonTool {
    /// Whether there is `python3`.
    static var canRun: Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
    }

    /// Runs a tool with the program under test, and returns its status and everything that it printed.
    static func run(_ name: String, _ arguments: [String]) async throws -> (status: Int32, text: String) {
        let output = Pipe()
        let tool = try TestProcess(
            "/usr/bin/env",
            ["python3", SharedData.checkout.appending(path: "tools/\(name)").path] + arguments + ["--program", Program.path],
            output: .pipe(output), errors: .pipe(output))
        // This takes long, so it runs on a thread of its own: other tests need the shared threads.
        let text = await withCheckedContinuation { continuation in
            Thread {
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }.start()
        }
        return (tool.terminationStatus, text)
    }
}
