import CSpawn
import Foundation

/// Runs a program until it exits.
package enum ChildProcess {
    package enum ExitResult {
        /// The exit status, and the beginning of the program's output.
        case exited(Int32, String)
        case killed(Int32)
        case tookTooLong
        case stopped
        case notStarted(String)
    }

    /// Environment variables that the program inherits. The others may hold secrets of the service.
    private static let variables = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "TMPDIR",
    ]

    /// Runs a program in its own process group, and waits for it to exit.
    ///
    /// - Parameters:
    ///   - seconds: The program is killed after this time.
    ///   - isStopped: Called several times a second. The program is killed when it returns true.
    package static func run(_ arguments: [String], input: String, seconds: Double, isStopped: () -> Bool) -> ExitResult {
        // Writing to a program that does not read its input must fail with EPIPE instead of a signal.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard let inputs = pipe(), let outputs = pipe() else { return .notStarted(systemErrorText()) }
        let process = spawn(arguments, input: inputs[0], output: outputs[1])
        close(inputs[0])
        close(outputs[1])
        defer { close(outputs[0]) }
        switch process {
        case .success(let child):
            _ = fcntl(inputs[1], F_SETFL, O_NONBLOCK)
            return communicate(
                with: child, input: Array(input.utf8), inputEnd: inputs[1], outputEnd: outputs[0], seconds: seconds,
                isStopped: isStopped)
        case .failure(let failure):
            close(inputs[1])
            return .notStarted(failure.message)
        }
    }

    /// Writes the input, reads the output, and waits for the program.
    ///
    /// - Parameter inputEnd: This function closes it.
    private static func communicate(
        with child: pid_t, input: [UInt8], inputEnd: Int32, outputEnd: Int32, seconds: Double, isStopped: () -> Bool
    ) -> ExitResult {
        let end = ContinuousClock.now + .seconds(seconds)
        var (sent, output, isReadable, isWritable) = (0, [UInt8](), true, true)
        defer { if isWritable { close(inputEnd) } }
        while true {
            if isWritable {
                let count = unsafe input.withUnsafeBytes {
                    unsafe write(inputEnd, $0.baseAddress?.advanced(by: sent), $0.count - sent)
                }
                if count > 0 { sent += count }
                if sent == input.count || count < 0 && errno != EAGAIN && errno != EINTR {
                    isWritable = false
                    close(inputEnd)
                }
            }
            var status: Int32 = 0
            let isOver = unsafe waitpid(child, &status, WNOHANG) == child
            isReadable = isReadable && read(outputEnd, &output, waiting: isOver ? 0 : 20)
            if isOver {
                // Kill processes that the program started and left running.
                kill(-child, SIGKILL)
                let signal = status & 0x7F
                return signal != 0 ? .killed(signal) : .exited(status >> 8 & 0xFF, String(decoding: output, as: UTF8.self))
            }
            if !isReadable { usleep(5000) }
            let reason: ExitResult? = isStopped() ? .stopped : ContinuousClock.now > end ? .tookTooLong : nil
            guard let reason else { continue }
            kill(-child, SIGKILL)
            _ = unsafe waitpid(child, &status, 0)
            return reason
        }
    }

    /// Reads available output. False when the other end is closed.
    private static func read(_ descriptor: Int32, _ output: inout [UInt8], waiting milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wanted, 1, milliseconds) > 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Foundation.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && errno == EINTR }
        if output.count < 600 { output += buffer[..<min(count, 600 - output.count)] }
        return true
    }

    private struct SpawnFailure: Error { var message: String }

    private static func spawn(_ arguments: [String], input: Int32, output: Int32) -> Result<pid_t, SpawnFailure> {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        // The program inherits no other open files.
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        // A process group allows killing the program with all its children. Signals get their default handling.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let own = ProcessInfo.processInfo.environment
        let environment = variables.compactMap { name in own[name].map { "\(name)=\($0)" } }
        var child: pid_t = 0
        let code = unsafe withCStrings(arguments) { argv in
            unsafe withCStrings(environment) { envp in unsafe posix_spawn(&child, arguments[0], &actions, &attributes, argv, envp)
            }
        }
        if code == 0 { return .success(child) }
        return .failure(SpawnFailure(message: "\(arguments[0]): \(unsafe String(cString: strerror(code)))"))
    }

    /// A pipe's read end and write end. Child processes do not inherit them.
    private static func pipe() -> [Int32]? {
        var ends: [Int32] = [-1, -1]
        guard unsafe Foundation.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private static func systemErrorText() -> String { unsafe String(cString: strerror(errno)) }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        var copies = unsafe texts.map { unsafe strdup($0) }
        let result = unsafe body(copies + [nil])
        while let copy = unsafe copies.popLast() { unsafe free(copy) }
        return result
    }
}
