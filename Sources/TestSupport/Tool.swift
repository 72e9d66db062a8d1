import Foundation

/// Another program on this machine.
package struct Tool {
    package let path: String

    /// Nil when the program is not installed.
    package init?(_ name: String) {
        let found = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        guard let found else { return nil }
        path = found
    }

    /// Runs the program until it ends. The output includes its standard error.
    package func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let pipe = Pipe()
        let process = try TestProcess(
            path, arguments, environment: TestProcess.environment.merging(environment) { $1 }, output: .pipe(pipe),
            errors: .pipe(pipe))
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// Reports that something was not tested because a program is not installed.
    package static func skipped(_ what: String, without name: String) {
        print("Skipped: \(what), because there is no \(name).")
    }
}
