import Foundation
import Model
import ToolSupport

/// `picket serve` as a child process that is measured: the same executable as this process.
struct ServedChild {
    let port: Int
    private let process: pid_t

    /// Starts the service on a free port of 127.0.0.1 and waits until it serves.
    init(data: String, options: [String]) throws(Problem) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 else { throw Self.failed("no pipe", errno) }
        defer { close(ends[0]) }
        var process = pid_t()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, ends[1])
        let program = try SiblingProgram.picket
        let words =
            ([program.path, "--data", data, "serve", "--json", "--listen", "127.0.0.1:0", "--log-level", "error"] + options).map {
                strdup($0)
            } + [nil]
        defer { for word in words { free(word) } }
        let failure = posix_spawn(&process, program.path, &actions, nil, words, environ)
        close(ends[1])
        guard failure == 0 else { throw Self.failed("the program cannot be run", failure) }
        self.process = process
        guard let line = Self.readLine(ends[0]), let document = try? JSONParser.parse(line),
            case .string(let url)? = document["url"],
            let port = url.split(separator: ":").last.flatMap({ Int($0) })
        else {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            throw .benchmark("the service did not start")
        }
        self.port = port
    }

    private static func failed(_ what: String, _ code: Int32) -> Problem {
        .benchmark("\(what): \(String(cString: strerror(code)))")
    }

    private static func readLine(_ descriptor: Int32) -> String? {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != 10 { text.append(byte) }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Sends SIGTERM and waits until the service has ended.
    ///
    /// - Returns: Bytes that the service wrote to disk in its lifetime (`ru_oublock` of getrusage(2), in units of 512).
    /// - Throws: `Problem.unknown` when the exit status is not 0.
    @discardableResult
    func stop() throws(Problem) -> Int {
        kill(process, SIGTERM)
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
        guard status == 0 else { throw .benchmark("the service ended with status \(status)") }
        return Int(usage.ru_oublock) << 9
    }

    /// Kills the service, after its measurement has failed.
    func killProcess() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Processor time used by the service in seconds (`utime` and `stime` of proc(5)).
    func processorTime() -> Double {
        let text = Self.text("/proc/\(process)/stat")
        // The second field is the program's name in parentheses, which may contain spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes that the service has caused to be written to disk (`write_bytes` of `/proc/PID/io`, proc(5)).
    func bytesWritten() -> Int { Self.number("write_bytes", in: "/proc/\(process)/io") }

    /// The service's resident memory now and at its peak, in bytes (`VmRSS` and `VmHWM` of proc(5)).
    func memory() -> (now: Int, most: Int) {
        let path = "/proc/\(process)/status"
        return (Self.number("VmRSS", in: path) << 10, Self.number("VmHWM", in: path) << 10)
    }

    /// The number on the line of a /proc file that begins with `name:`; 0 if there is no such line.
    private static func number(_ name: String, in path: String) -> Int {
        let line = text(path).split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }

    /// The content of a /proc file; empty when the process has ended.
    private static func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
