import Foundation
import Model

/// `picket serve` as a child process on a free port. It ends at the end of the test.
package final class RunningService {
    package let running: Program.Running
    package let port: Int
    package var process: pid_t { running.process.processIdentifier }

    package struct DidNotStart: Error {
        package var errors: String
    }

    /// Starts the service on a data directory and waits until it serves.
    package convenience init(data: String, _ options: String...) throws { try self.init(Program(data: data), options) }

    /// Starts a program as a service and waits until it serves.
    package init(_ program: Program, _ options: [String] = []) throws {
        running = try program.start(["serve", "--json", "--listen", "127.0.0.1:0"] + options)
        guard let line = running.nextLine(), let url = try JSONParser.parse(line)["url"]?.string,
            let port = url.split(separator: ":").last.flatMap({ Int($0) })
        else {
            running.kill()
            throw DidNotStart(errors: String(decoding: running.errors.readDataToEndOfFile(), as: UTF8.self))
        }
        self.port = port
    }

    deinit { kill() }

    /// Kills the service.
    package func kill() { running.kill() }

    /// Opens a connection to the service.
    package func connect() throws -> RawConnection { try RawConnection(port: port) }

    /// The peak resident memory of the service in bytes (`VmHWM` of proc(5)).
    package func peakMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
    }
}
