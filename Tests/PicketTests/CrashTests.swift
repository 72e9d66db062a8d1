import Foundation
import TestSupport
import Testing

@Suite("Service crashes")
struct CrashTests {
    @Test(
        "A killed service loses nothing acknowledged, and reports every event once (short form of tools/crash-test)",
        .enabled("there is no python3") { CrashTests.hasPython })
    func crash() async throws {
        let output = Pipe()
        let tool = try TestProcess(
            "/usr/bin/env",
            ["python3", SharedData.checkout.appending(path: "tools/crash-test").path, "5", "--program", Program.path],
            output: .pipe(output), errors: .pipe(output))
        // This takes long, so it runs on a thread of its own: other tests need the shared threads.
        let text = await withCheckedContinuation { continuation in
            Thread {
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }.start()
        }
        #expect(tool.terminationStatus == 0, "\(text)")
        #expect(text.contains("5 rounds in"), "\(text)")
    }

    static var hasPython: Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
    }
}
