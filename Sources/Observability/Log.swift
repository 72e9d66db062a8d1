import Foundation
import Model
import Synchronization

/// The log of a running service, as text for people or as JSON for programs.
///
/// A line is written as a whole, on a thread of the log, so that neither a full disk nor a pipe that is not read stops the service. A line
/// that cannot be written is dropped and counted. Of the lines with the same event and reason, at most ten
/// are written in a minute, and of those about the same device only the first; the others are summarized in one line. Lines of the level
/// `debug` are not limited.
///
/// Messages are constant strings, and all variable data is in fields. Fields must not contain secrets or coordinates. Refused input, which
/// may be part of a position, is only in lines while the level is `debug`.
///
/// All methods can be called from any thread.
package final class Log: Sendable {
    private let descriptor: Int32
    private let output: LineOutput
    /// The file that the descriptor is open for; nil if the log has not opened it.
    private let path: String?
    private let format: LogFormat
    private let clock: any WallClock
    private let minimumRank: Atomic<Int>
    private let repeats = Mutex(Repeats())
    private let recent = Mutex(RecentLines())

    /// - Parameter descriptor: The file descriptor to write to, by default standard error. It is not closed.
    package convenience init(
        level: LogLevel = .info, format: LogFormat = .text, descriptor: Int32 = 2, clock: any WallClock = SystemClock()
    ) {
        self.init(level, format, descriptor, path: nil, clock)
    }

    /// A log that writes nothing.
    package static func silent(_ clock: any WallClock) -> Log {
        let log = Log(level: .error, descriptor: -1, clock: clock)
        log.minimumRank.store(.max, ordering: .relaxed)
        return log
    }

    /// A log that is appended to a file, which is created if it does not exist; see `reopen()`.
    ///
    /// - Throws: `Problem.fileFailed` if the file cannot be opened.
    package convenience init(level: LogLevel, format: LogFormat, path: String, clock: any WallClock) throws(Problem) {
        self.init(level, format, try Self.open(path), path: path, clock)
    }

    private init(_ level: LogLevel, _ format: LogFormat, _ descriptor: Int32, path: String?, _ clock: any WallClock) {
        self.descriptor = descriptor
        self.path = path
        self.format = format
        self.clock = clock
        minimumRank = Atomic(level.rank)
        output = LineOutput(descriptor, isOwner: path != nil) { count in
            LogLine(
                time: clock.now(), level: .warning, event: "lost",
                message: "Lines of the log were lost because they could not be written fast enough.",
                fields: [.number("count", count)]
            ).text(format)
        }
    }

    deinit { flush() }

    /// Waits until the lines so far have been written.
    ///
    /// - Parameter seconds: The longest time to wait.
    package func flush(within seconds: Double = 1) { output.flush(within: seconds) }

    /// Opens the log's file again, because a program like logrotate has renamed it. Does nothing for a log without its own file.
    ///
    /// - Throws: `Problem.fileFailed` if the file cannot be opened; then the log continues in the old one.
    package func reopen() throws(Problem) {
        guard let path else { return }
        flush()
        let new = try Self.open(path)
        defer { close(new) }
        // The new file gets the number of the old one in one step, so that no line is lost.
        guard dup2(new, descriptor) >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0 else {
            throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
        }
    }

    /// Opens a file for appending. Its owner can write it, and its group can read it.
    private static func open(_ path: String) throws(Problem) -> Int32 {
        let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o640)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        return descriptor
    }

    /// The last lines, oldest first, without line ends and without coordinates.
    package var recentLines: [String] { recent.withLock { $0.lines } }

    /// The number of lines that could not be written.
    package var lostLines: Int { output.lostLines }

    /// Whether lines of this level are written now.
    package func writes(_ level: LogLevel) -> Bool { level.rank >= minimumRank.load(ordering: .relaxed) }

    /// Sets the lowest level that is written from now on.
    package func setLevel(_ level: LogLevel) { minimumRank.store(level.rank, ordering: .relaxed) }

    // MARK: - Lines

    /// Logs an event that requires a person's attention.
    ///
    /// - Parameters:
    /// - event: The name of the event: one word that never changes.
    ///   - reason: The kind of reason, from a small set. Repeated lines are counted by event and reason.
    package func error(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, fields: @autoclosure () -> [LogField] = []
    ) {
        write(.error, event, message, reason, fields)
    }

    /// Logs a failure that the service handled automatically.
    package func warning(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, fields: @autoclosure () -> [LogField] = []
    ) {
        write(.warning, event, message, reason, fields)
    }

    /// Logs input that cannot be used, with one line for each device, kind and field, and its first invalid value. The value is not in
    /// `recentLines`, because it may be part of a position.
    package func logRefusals(_ refusals: [Refusal]) {
        guard !refusals.isEmpty, writes(.warning) else { return }
        var inputs = RefusedInputs()
        inputs.add(refusals, sender: nil)
        for entry in inputs.entries {
            let refusal = entry.refusal
            write(
                LogLine(
                    time: clock.now(), level: .warning, event: "unusable",
                    message: "A device sent invalid data.",
                    reason: refusal.kind.rawValue,
                    fields: [
                        .text("device", refusal.device ?? ""), .text("field", refusal.field),
                        .text("why", refusal.reason.description),
                        .number("count", entry.count),
                    ], input: writes(.debug) && !refusal.value.isEmpty ? refusal.shownValue : nil,
                    subject: refusal.device ?? ""))
        }
    }

    /// Logs useful information about normal operation.
    package func info(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, fields: @autoclosure () -> [LogField] = []
    ) {
        write(.info, event, message, reason, fields)
    }

    /// Logs details for debugging.
    package func debug(_ event: StaticString, _ message: StaticString, fields: @autoclosure () -> [LogField] = []) {
        write(.debug, event, message, nil, fields)
    }

    /// Logs a problem in English. The input that caused it is not logged, because it may contain a position or a secret.
    package func logProblem(
        _ problem: Problem, _ event: StaticString, level: LogLevel = .error, fields: @autoclosure () -> [LogField] = []
    ) {
        guard writes(level) else { return }
        let details = problem.details(in: .english).map { [LogField.text("details", $0)] } ?? []
        write(
            LogLine(
                time: clock.now(), level: level, event: event, message: problem.messageWithoutInput, reason: problem.code,
                fields: fields() + details))
    }

    private func write(
        _ level: LogLevel, _ event: StaticString, _ message: StaticString, _ reason: String?, _ fields: () -> [LogField]
    ) {
        guard writes(level) else { return }
        write(
            LogLine(
                time: clock.now(), level: level, event: event, message: "\(message)", reason: reason, fields: fields()))
    }

    // MARK: - Writing

    private func write(_ line: LogLine) {
        repeats.withLock { repeats in
            writeSummaries(&repeats, at: line.time)
            if line.level == .debug || repeats.admits(line) { writeUnlimited(line) }
        }
    }

    /// Suppresses repeated lines.
    private struct Repeats {
        /// Limits lines by event and reason. There are few such pairs, so each has its own window.
        private var kinds = RepeatLimiter<LogLine>()
        /// Limits lines by event, reason and subject. Subjects come from outside in any number, so they must not use up the windows of
        /// `kinds`.
        private var subjects = RepeatLimiter<LogLine>()

        mutating func admits(_ line: LogLine) -> Bool {
            let kind = "\(line.event) \(line.reason ?? "")"
            guard let subject = line.subject else { return kinds.admits(kind, at: line.time, line: line) }
            if let isAdmitted = subjects.admitsFirst("\(kind) \(subject)", at: line.time, line: line) { return isAdmitted }
            // There are too many subjects to distinguish, so the remaining ones are limited together.
            var line = line
            line.subject = nil
            return kinds.admits(kind, at: line.time, line: line)
        }

        mutating func due(at now: Instant, all: Bool) -> [RepeatLimiter<LogLine>.Summary] {
            kinds.takeDueSummaries(at: now, all: all) + subjects.takeDueSummaries(at: now, all: all)
        }
    }

    /// Writes the summaries that are due. The service calls this regularly, so that they are written even if no further line is logged.
    package func writeDueSummaries() {
        repeats.withLock { writeSummaries(&$0, at: clock.now()) }
    }

    /// Writes all remaining summaries, and waits until they are written. The service calls this before it ends.
    package func writeAllSummaries() {
        repeats.withLock { writeSummaries(&$0, at: clock.now(), all: true) }
        flush()
    }

    private func writeSummaries(_ repeats: inout Repeats, at now: Instant, all: Bool = false) {
        for summary in repeats.due(at: now, all: all) {
            var line = summary.line
            // The fields of the lines differ, so the summary leaves them out. The subject is the same in all lines.
            line.fields =
                (line.subject.map { [.text("device", $0)] } ?? [])
                + [.number("repeated", summary.count), .text("since", line.time.description)]
            line.time = now
            line.input = nil
            writeUnlimited(line)
        }
    }

    /// Writes a line. The caller must hold the lock of `repeats`, so that lines are not interleaved.
    private func writeUnlimited(_ line: LogLine) {
        recent.withLock { $0.add(line) }
        output.add(line.text(format))
    }
}

extension Problem {
    /// The problem's message in English without the input that caused it, because the input may contain a position or a secret.
    package var messageWithoutInput: String {
        switch self {
        case .validationFailed(let field, _, let reason, _): "\(field) cannot be used: \(reason.text(in: .english))."
        case .inputRefused(let device, let field, _, let kind, let reason):
            Problem.inputRefused(device: device, field: field, value: "", kind: kind, reason: reason).message.text(in: .english)
        case .decodingFailed(let source, let line, _): "\(source)\(line.map { ", line \($0)" } ?? "") cannot be read."
        default: message.text(in: .english)
        }
    }
}
