import Foundation

/// The built `picket` program, run as a child process.
package struct Program {
    /// The result of a run.
    package struct Result {
        package var status: Int32
        package var output: String
        package var errors: String

        /// The lines of the standard output.
        package var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The path of the program, beside the test bundle.
    package static let path: String = {
        // The environment can name an installed program to test instead.
        if let installed = ProcessInfo.processInfo.environment["PICKET_PROGRAM"] { return installed }
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        // `swift test` runs the tests from a tool of the toolchain, so the build folder is found by the path of this source file.
        let checkout = SharedData.checkout
        for folder in [bundle.deletingLastPathComponent(), checkout.appending(path: ".build/debug")] {
            let program = folder.appending(path: "picket").path
            if FileManager.default.isExecutableFile(atPath: program) { return program }
        }
        return checkout.appending(path: ".build/debug/picket").path
    }()

    /// The path of the data directory.
    package let data: String
    /// The path of the program.
    package var executable = Program.path
    package var environment: [String: String] = [:]
    /// The maximum number of files that the program may have open; nil for that of this process.
    package var maximumFiles: Int?

    private static let limiter = "/usr/bin/prlimit"
    /// Whether `maximumFiles` can be set.
    package static var canLimitFiles: Bool { FileManager.default.isExecutableFile(atPath: limiter) }

    package init(data: String) { self.data = data }

    /// Runs the program on its data directory and waits until it ends.
    @discardableResult
    package func run(_ arguments: String..., input: String? = nil) throws -> Result {
        try run(arguments, input: input)
    }

    @discardableResult
    package func run(_ arguments: [String], input: String? = nil) throws -> Result {
        let process = try start(arguments, input: input)
        // Both pipes are read at the same time, because a full pipe would block the program.
        let errors = ReadToEnd(process.errors)
        let output = process.output.readDataToEndOfFile()
        process.process.waitUntilExit()
        return Result(
            status: process.process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors.data(), as: UTF8.self))
    }

    /// Creates an empty store in the data directory.
    package func createStore() throws {
        let result = try run("compact")
        if result.status != 0 { throw CannotCreateStore(errors: result.errors) }
    }

    private struct CannotCreateStore: Error {
        let errors: String
    }

    /// A run that has not ended.
    package struct Running {
        package let process: TestProcess
        package let output: FileHandle
        package let errors: FileHandle

        /// The next line of the standard output; nil at its end.
        package func nextLine() -> String? { Self.nextLine(output) }

        /// The next line of the standard error; nil at its end.
        package func nextErrorLine() -> String? { Self.nextLine(errors) }

        private static func nextLine(_ file: FileHandle) -> String? {
            var line: [UInt8] = []
            while true {
                let byte = file.readData(ofLength: 1)
                guard let first = byte.first else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
                if first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
                line.append(first)
            }
        }

        /// Kills the program and waits until it has ended.
        package func kill() { process.kill() }
    }

    /// Starts the program.
    package func start(_ arguments: [String], input: String? = nil) throws -> Running {
        let (standardInput, output, errors) = (input.map { _ in Pipe() }, Pipe(), Pipe())
        var words = [executable, "--data", data] + arguments
        if let maximumFiles { words = [Self.limiter, "--nofile=\(maximumFiles):\(maximumFiles)"] + words }
        let process = try TestProcess(
            words[0], Array(words.dropFirst()),
            environment: TestProcess.environment.merging(environment) { $1 },
            input: standardInput.map { .pipe($0) } ?? .null, output: .pipe(output), errors: .pipe(errors))
        if let input, let pipe = standardInput {
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        return Running(process: process, output: output.fileHandleForReading, errors: errors.fileHandleForReading)
    }
}

/// Reads a pipe to its end on its own thread.
private final class ReadToEnd: Sendable {
    private let result: LockedData
    private let group = DispatchGroup()

    init(_ handle: FileHandle) {
        let result = LockedData()
        self.result = result
        let descriptor = dup(handle.fileDescriptor)
        group.enter()
        DispatchQueue.global().async { [group] in
            result.set(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile())
            group.leave()
        }
    }

    func data() -> Data {
        group.wait()
        return result.get()
    }
}

/// Bytes that one thread writes and another reads.
private final class LockedData: @unchecked Sendable {
    // Safe: `value` is only accessed while `lock` is held.
    private let lock = NSLock()
    private var value = Data()

    func set(_ data: Data) { lock.withLock { value = data } }
    func get() -> Data { lock.withLock { value } }
}
