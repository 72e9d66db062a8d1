import Foundation
import TestSupport
import Testing

@Suite("'picket bench'")
struct BenchCommandTests {
    /// The path of the program in a directory without `picket-bench`.
    private func alone(in directory: TemporaryDirectory) throws -> String {
        let path = directory.path + "/picket"
        do {
            try FileManager.default.linkItem(atPath: Program.path, toPath: path)
        } catch {
            // A hard link cannot refer to another file system.
            try FileManager.default.copyItem(atPath: Program.path, toPath: path)
        }
        return path
    }

    /// Runs a program to its end.
    private func run(_ path: String, _ arguments: String...) throws -> (process: TestProcess, output: String, errors: String) {
        let (output, errors) = (Pipe(), Pipe())
        let process = try TestProcess(path, arguments, output: .pipe(output), errors: .pipe(errors))
        // Both texts fit into the buffer of a pipe, so they can be read one after the other.
        let text = [output, errors].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
        process.waitUntilExit()
        return (process, text[0], text[1])
    }

    @Test("A missing picket-bench gives a problem that says how to build it")
    func missing() throws {
        let directory = try TemporaryDirectory()
        let (process, output, errors) = try run(alone(in: directory), "bench", "engine")
        #expect(process.terminationStatus == 3 && output.isEmpty)
        #expect(
            errors.contains("\(directory.path)/picket-bench: ")
                && errors.contains("'swift build -c release --product picket-bench'"), "\(errors)")
        #expect(errors.split(separator: "\n").count == 1, "\(errors)")
    }

    @Test("Without picket-bench, the options are checked and the help is printed")
    func words() throws {
        let directory = try TemporaryDirectory()
        let picket = try alone(in: directory)
        #expect(try run(picket, "bench", "--fixtures", "7").errors.contains("did you mean '--fixes'?"))
        #expect(try run(picket, "bench", "--help").output.contains("--workload MOTION"))
    }

    @Test("picket-bench gets the arguments and runs in the same process, so that it gets the signals and gives the exit status")
    func place() throws {
        let directory = try TemporaryDirectory()
        let picket = try alone(in: directory)
        let path = try directory.write("#!/bin/sh\nprintf '<%s>' $$ \"$@\"\necho Oh. >&2\nexit 7\n", to: "picket-bench")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let (process, output, errors) = try run(picket, "--data", "a b", "bench", "feed", "--fixes", "2000", "--json")
        #expect(output == "<\(process.processIdentifier)><--data><a b><feed><--fixes><2000><--json>")
        #expect(errors == "Oh.\n" && process.terminationStatus == 7)
    }
}
