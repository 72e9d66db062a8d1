import Foundation
import Model
import Synchronization
import TestSupport
import ToolSupport
import Workers

@testable import picket

/// Runs a command within the test's process, with a clock that does not wait.
final class InProcessCommand: Sendable {
    /// The result of a run.
    struct Result: Sendable {
        /// The exit status; nil when a problem was thrown.
        var status: ExitStatus?
        var problem: Problem?
        var output: [String]
        var errors: [String]
        /// The seconds of each wait, in order.
        var waits: [Double]
    }

    private let directory: TemporaryDirectory
    private let state: Mutex<(now: Instant, waits: [Double])>
    private let beforeWait: @Sendable (_ number: Int) throws -> Void

    /// - Parameter beforeWait: Called before each wait with its number from 0.
    init(beforeWait: @escaping @Sendable (Int) throws -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        state = Mutex((Instant(milliseconds: 1_777_000_000_000), []))
        self.beforeWait = beforeWait
    }

    private var clock: BlockingClock {
        BlockingClock(
            now: { [self] in state.withLock { $0.now } },
            sleep: { [self] moment in
                let number = state.withLock { $0.waits.count }
                do { try beforeWait(number) } catch { preconditionFailure("\(error)") }
                state.withLock { state in
                    state.waits.append(moment - state.now)
                    state.now = max(state.now, moment)
                }
            })
    }

    /// Runs the command until it ends.
    func run(_ command: Command, _ arguments: String...) throws -> Result { try run(command, arguments) }

    /// Runs the command on another thread. Without a service, the tasks of routes need the threads of this one's pool.
    func runApart(_ command: Command, _ arguments: String...) async throws -> Result {
        try await BlockingCall.run { try self.run(command, arguments) }
    }

    /// Runs the command until it ends.
    func run(_ command: Command, _ arguments: [String]) throws -> Result {
        let paths = ["output", "errors"].map { directory.path + "/" + $0 }
        let descriptors = paths.map { open($0, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
        defer { for descriptor in descriptors { close(descriptor) } }
        let output = Output(descriptor: descriptors[0], environment: [:])
        var invocation = try Invocation(
            command, ["--data", directory.path + "/data"] + arguments, environment: [:], output: output)
        invocation.errorDescriptor = descriptors[1]
        invocation.clock = clock
        var status: ExitStatus?
        var problem: Problem?
        do throws(Problem) {
            status = try command.run(invocation)
        } catch {
            problem = error
        }
        output.flush()
        let lines = try paths.map { try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n").map(String.init) }
        return Result(
            status: status, problem: problem, output: lines[0], errors: lines[1], waits: state.withLock { $0.waits })
    }
}

extension LoopbackServer {
    /// An answer after which the connection is closed. libcurl repeats a request automatically when a reused connection breaks; with these
    /// answers each failure becomes visible.
    static func last(_ status: String, _ headers: String = "", _ body: String = "") -> [Step] {
        answer(status, headers: headers + "Connection: close\r\n", body: body) + [.close]
    }

    /// An answer of a Picket service.
    static func json(_ body: JSONValue, status: String = "200 OK", headers: String = "") -> [Step] {
        last(status, "Content-Type: application/json\r\n" + headers, body.description)
    }

    /// An answer of a Picket service with a problem.
    static func problem(_ problem: Problem, _ status: String, headers: String = "") -> [Step] {
        last(status, "Content-Type: application/problem+json\r\n" + headers, problem.json().description)
    }

    /// The beginning of an answer that is never completed.
    static func half(_ body: JSONValue) -> [Step] {
        let text = body.description
        return [
            .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n"),
            .send(String(text.prefix(text.count / 2))), .close,
        ]
    }
}
