import CSpawn
import Foundation
import Synchronization

/// A program that a test starts: the parts of Foundation's `Process` that tests need.
///
/// Foundation's `Process.run` (swift-corelibs-foundation) reads the list of open files past its end when this process has more than about
/// 1,300 of them, which happens when all tests run at the same time.
package final class TestProcess: Sendable {
    /// Where a standard stream of the program is connected.
    package enum Stream {
        case null
        case pipe(Pipe)
        /// The stream of this process.
        case inherited
    }

    package struct Failure: Error { package var errno: Int32 }

    package let processIdentifier: Int32
    /// The raw status of `waitpid`; nil until the program has ended.
    private let rawStatus = Mutex<Int32?>(nil)
    /// Held by the thread that waits for the end of the program.
    private let collecting = Mutex<Void>(())

    /// The environment of this process, with UTC as the time zone.
    package static let environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC"]) { $1 }

    /// Starts a program. The program inherits no other files of this process, and no blocked signals.
    ///
    /// - Parameters:
    ///   - environment: The complete environment; nil for `TestProcess.environment`.
    ///   - directory: The working directory; nil for that of this process.
    ///   - file: An open file that the program gets as its descriptor 3; nil for none.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, directory: String? = nil,
        input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited, passing file: Int32? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
            switch stream {
            case .inherited: break
            case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .pipe(let pipe):
                let end = number == STDIN_FILENO ? pipe.fileHandleForReading : pipe.fileHandleForWriting
                posix_spawn_file_actions_adddup2(&actions, end.fileDescriptor, number)
            }
        }
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        let last = file == nil ? STDERR_FILENO : STDERR_FILENO + 1
        if let file { posix_spawn_file_actions_adddup2(&actions, file, last) }
        posix_spawn_file_actions_addclosefrom_np(&actions, last + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = (environment ?? Self.environment).map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
        if status != 0 { throw Failure(errno: status) }
        processIdentifier = identifier

        // This process closes its copies of the program's ends, so that the other ends notice when the program ends.
        if case .pipe(let pipe) = input { try pipe.fileHandleForReading.close() }
        var closed: Pipe?
        for case .pipe(let pipe) in [output, errors] where pipe !== closed {
            try pipe.fileHandleForWriting.close()
            closed = pipe
        }
    }

    /// Waits until the program has ended.
    package func waitUntilExit() { _ = waitForRawStatus() }

    package var isRunning: Bool {
        if rawStatus.withLock({ $0 != nil }) { return false }
        // WNOWAIT leaves the process to be collected by `waitForRawStatus()`.
        var information = siginfo_t()
        return waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT | WNOHANG) == 0
            && information._sifields._sigchld.si_pid == 0
    }

    /// The exit status, or the number of the signal that ended the program. Waits until the program has ended.
    package var terminationStatus: Int32 {
        let status = waitForRawStatus()
        return status & 0x7f == 0 ? status >> 8 & 0xff : status & 0x7f
    }

    package func terminate() { signal(SIGTERM) }

    /// Kills the program and waits until it has ended.
    package func kill() {
        signal(SIGKILL)
        waitUntilExit()
    }

    /// Sends a signal, unless the program has ended: its process number may have been reused.
    package func signal(_ number: Int32) {
        rawStatus.withLock { if $0 == nil { _ = Foundation.kill(processIdentifier, number) } }
    }

    /// Waits for the raw status. One thread waits at a time, so that no thread waits for a process number that was reused.
    private func waitForRawStatus() -> Int32 {
        collecting.withLock { _ in
            if let status = rawStatus.withLock({ $0 }) { return status }
            // The lock `ended` is not held during the wait, because `signal` needs it.
            var information = siginfo_t()
            while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            return rawStatus.withLock { ended in
                var status: Int32 = 0
                // If other code has collected the process, the status is that of SIGKILL.
                if waitpid(processIdentifier, &status, WNOHANG) != processIdentifier { status = SIGKILL }
                ended = status
                return status
            }
        }
    }
}
