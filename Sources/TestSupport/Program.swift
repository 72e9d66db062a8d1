import Foundation

/// The built program, run as a person runs it.
public struct Program {
    /// What a run came to.
    public struct Result {
        public var status: Int32
        public var output: String
        public var errors: String

        /// The lines of the output.
        public var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Beside the tests' own bundle.
    public static let path: String = {
        // Or one that is installed, to be tested as it is.
        if let installed = ProcessInfo.processInfo.environment["PICKET_PROGRAM"] { return installed }
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        // swift test runs the tests from a tool of the toolchain's; the build folder is known by this file's place instead.
        let checkout = SharedData.checkout
        for folder in [bundle.deletingLastPathComponent(), checkout.appending(path: ".build/debug")] {
            let program = folder.appending(path: "picket").path
            if FileManager.default.isExecutableFile(atPath: program) { return program }
        }
        return checkout.appending(path: ".build/debug/picket").path
    }()

    /// The data directory.
    public let data: String
    public var environment: [String: String] = [:]

    public init(data: String) { self.data = data }

    /// Runs the program on its data directory and waits for its end.
    @discardableResult
    public func run(_ arguments: String..., input: String? = nil) throws -> Result {
        try run(arguments, input: input)
    }

    @discardableResult
    public func run(_ arguments: [String], input: String? = nil) throws -> Result {
        let process = try start(arguments, input: input)
        // Read both pipes at once: a full one would stop the program.
        let errors = ReadToEnd(process.errors)
        let output = process.output.readDataToEndOfFile()
        process.process.waitUntilExit()
        return Result(
            status: process.process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors.data(), as: UTF8.self))
    }

    /// A run that has not ended.
    public struct Running {
        public let process: TestProcess
        public let output: FileHandle
        public let errors: FileHandle

        /// The next line of its output; nil at its end.
        public func nextLine() -> String? { Self.nextLine(output) }

        /// The next line on its standard error; nil at its end.
        public func nextErrorLine() -> String? { Self.nextLine(errors) }

        private static func nextLine(_ file: FileHandle) -> String? {
            var line: [UInt8] = []
            while true {
                let byte = file.readData(ofLength: 1)
                guard let first = byte.first else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
                if first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
                line.append(first)
            }
        }

        /// Kills it and waits for its end.
        public func kill() { process.kill() }
    }

    /// Starts the program.
    public func start(_ arguments: [String], input: String? = nil) throws -> Running {
        let (standardInput, output, errors) = (input.map { _ in Pipe() }, Pipe(), Pipe())
        let process = try TestProcess(
            Program.path, ["--data", data] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: standardInput.map { .pipe($0) } ?? .null, output: .pipe(output), errors: .pipe(errors))
        if let input, let pipe = standardInput {
            pipe.fileHandleForWriting.write(Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        return Running(process: process, output: output.fileHandleForReading, errors: errors.fileHandleForReading)
    }
}

/// Reads a pipe to its end on a thread of its own.
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
    // Safe: `value` is only touched while `lock` is held.
    private let lock = NSLock()
    private var value = Data()

    func set(_ data: Data) { lock.withLock { value = data } }
    func get() -> Data { lock.withLock { value } }
}
