import CSpawn
import Foundation
import Synchronization

/// A program that a test starts, with as much of Foundation's `Process` as tests need.
///
/// Foundation's own reads the list of this process's open files past its end when there are more than some 1,300
/// (swift-corelibs-foundation, `Process.run`), and beside all other tests there are.
public final class TestProcess: Sendable {
    /// Where a standard stream of the program comes from or goes to.
    public enum Stream {
        case null
        case pipe(Pipe)
        /// This process's own.
        case inherited
    }

    public struct Failure: Error { public var errno: Int32 }

    public let processIdentifier: Int32
    /// The raw status of `waitpid`, once it has ended.
    private let ended = Mutex<Int32?>(nil)
    /// Held by the thread that waits for its end.
    private let collecting = Mutex<Void>(())

    /// Starts a program. It inherits none of this process's other files, and no blocked signals.
    ///
    /// - Parameters:
    ///   - environment: All of it; nil for this process's own.
    ///   - directory: Where it runs; nil for where this process does.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, directory: String? = nil,
        input: Stream = .null, output: Stream = .inherited, errors: Stream = .inherited
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
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
        if status != 0 { throw Failure(errno: status) }
        processIdentifier = identifier

        // The program alone has them now, so that their other ends see when it ends.
        if case .pipe(let pipe) = input { try pipe.fileHandleForReading.close() }
        var closed: Pipe?
        for case .pipe(let pipe) in [output, errors] where pipe !== closed {
            try pipe.fileHandleForWriting.close()
            closed = pipe
        }
    }

    /// Waits for its end.
    public func waitUntilExit() { _ = collected() }

    public var isRunning: Bool {
        if ended.withLock({ $0 != nil }) { return false }
        // It stays to be collected by whoever waits for it.
        var information = siginfo_t()
        return waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT | WNOHANG) == 0
            && information._sifields._sigchld.si_pid == 0
    }

    /// What it returned, or the number of the signal that ended it. Waits for its end.
    public var terminationStatus: Int32 {
        let status = collected()
        return status & 0x7f == 0 ? status >> 8 & 0xff : status & 0x7f
    }

    public func terminate() { signal(SIGTERM) }

    /// Kills it and waits for its end.
    public func kill() {
        signal(SIGKILL)
        waitUntilExit()
    }

    /// Sends it a signal, unless it has ended: its number may be another's by then.
    public func signal(_ number: Int32) {
        ended.withLock { if $0 == nil { _ = Foundation.kill(processIdentifier, number) } }
    }

    /// Its raw status, once it has ended. One thread waits at a time, so that nobody waits for a number that is another's by then.
    private func collected() -> Int32 {
        collecting.withLock { _ in
            if let status = ended.withLock({ $0 }) { return status }
            // `signal` needs the other lock meanwhile.
            var information = siginfo_t()
            while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            return ended.withLock { ended in
                var status: Int32 = 0
                // One that somebody else has collected is told as one that a signal has ended.
                if waitpid(processIdentifier, &status, WNOHANG) != processIdentifier { status = SIGKILL }
                ended = status
                return status
            }
        }
    }
}
