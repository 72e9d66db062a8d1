import Foundation
import Geodesy
import Model
import Synchronization

/// The log of a running service: lines of what happens, for people or for machines.
///
/// A line is written at once and whole, by whichever thread has something to say; where the reader of a pipe is slow, that thread
/// waits for it. What cannot be written is counted and forgotten: a full disk must not stop the service. Of lines with the same
/// event and reason ten a minute are written, and of those about one device the first; the rest is summed up. All of `debug`
/// are.
///
/// Messages are fixed texts, and what changes is in fields. No secret is a field, and a place only of `debug`.
public final class Log: Sendable {
    private let descriptor: Int32
    private let format: LogFormat
    private let clock: any WallClock
    private let least: Atomic<Int>
    private let lost = Atomic<Int>(0)
    private let repeats = Mutex(Repeats())
    private let recent = Mutex(RecentLines())

    /// - Parameter descriptor: Where lines go, as standard error. It is not closed.
    public init(level: LogLevel = .info, format: LogFormat = .text, descriptor: Int32 = 2, clock: any WallClock = SystemClock()) {
        self.descriptor = descriptor
        self.format = format
        self.clock = clock
        least = Atomic(level.rank)
    }

    /// The last lines, the oldest first, without their ends and without places.
    public var recentLines: [String] { recent.withLock { $0.lines } }

    /// Lines that could not be written.
    public var lostLines: Int { lost.load(ordering: .relaxed) }

    public func writes(_ level: LogLevel) -> Bool { level.rank >= least.load(ordering: .relaxed) }

    /// From now on lines of this level and above are written.
    public func setLevel(_ level: LogLevel) { least.store(level.rank, ordering: .relaxed) }

    // MARK: - Lines

    /// Something that a person has to look after.
    ///
    /// - Parameters:
    ///   - event: What happened, in one word that never changes.
    ///   - reason: A kind of reason, one of few; lines are counted by it.
    public func error(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, _ fields: @autoclosure () -> [LogField] = []
    ) {
        write(.error, event, message, reason, nil, fields)
    }

    /// Something that went wrong, and that the service got over by itself.
    public func warning(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, _ fields: @autoclosure () -> [LogField] = []
    ) {
        write(.warning, event, message, reason, nil, fields)
    }

    /// Input that cannot be used: a line for each device, kind and field. What was sent is not repeated: it may be a place.
    public func refused(_ refusals: [Refusal]) {
        guard !refusals.isEmpty, writes(.warning) else { return }
        var inputs = RefusedInputs()
        inputs.add(refusals, sender: nil)
        for entry in inputs.entries {
            let refusal = entry.refusal
            write(
                LogLine(
                    time: clock.now(), level: .warning, event: "unusable",
                    message: "Something that a device sent cannot be used.",
                    reason: refusal.kind.rawValue,
                    fields: [
                        .text("device", refusal.device ?? ""), .text("field", refusal.field), .text("why", refusal.reason),
                        .number("count", entry.count),
                    ], subject: refusal.device ?? ""))
        }
    }

    /// Something to know.
    public func info(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, _ fields: @autoclosure () -> [LogField] = []
    ) {
        write(.info, event, message, reason, nil, fields)
    }

    /// Everything else.
    ///
    /// - Parameter place: Where it happened.
    public func debug(
        _ event: StaticString, _ message: StaticString, reason: String? = nil, at place: Coordinate? = nil,
        _ fields: @autoclosure () -> [LogField] = []
    ) {
        write(.debug, event, message, reason, place, fields)
    }

    /// A problem, in English. What somebody sent is not repeated: it may be a place, or a secret.
    public func problem(
        _ problem: Problem, _ event: StaticString, level: LogLevel = .error, _ fields: @autoclosure () -> [LogField] = []
    ) {
        guard writes(level) else { return }
        let details = problem.details.map { [LogField.text("details", $0)] } ?? []
        write(
            LogLine(
                time: clock.now(), level: level, event: event, message: problem.messageWithoutInput, reason: problem.code,
                fields: fields() + details))
    }

    private func write(
        _ level: LogLevel, _ event: StaticString, _ message: StaticString, _ reason: String?, _ place: Coordinate?,
        _ fields: () -> [LogField]
    ) {
        guard writes(level) else { return }
        write(
            LogLine(
                time: clock.now(), level: level, event: event, message: "\(message)", reason: reason, fields: fields(),
                place: place))
    }

    // MARK: - Writing

    private func write(_ line: LogLine) {
        repeats.withLock { repeats in
            summarise(&repeats, at: line.time)
            if line.level == .debug || repeats.admits(line) { put(line) }
        }
    }

    /// Holds back lines that repeat others.
    private struct Repeats {
        /// By event and reason: there are few, so that each has a window of its own.
        private var kinds = RepeatLimiter<LogLine>()
        /// By event, reason and subject. Subjects come from outside, in any number: they must not take the windows of `kinds`.
        private var subjects = RepeatLimiter<LogLine>()

        mutating func admits(_ line: LogLine) -> Bool {
            let kind = "\(line.event) \(line.reason ?? "")"
            guard let subject = line.subject else { return kinds.admits(kind, at: line.time, line: line) }
            if let isAdmitted = subjects.admitsFirst("\(kind) \(subject)", at: line.time, line: line) { return isAdmitted }
            // There are too many subjects to tell them apart: the others count as one.
            var line = line
            line.subject = nil
            return kinds.admits(kind, at: line.time, line: line)
        }

        mutating func due(at now: Instant, all: Bool) -> [RepeatLimiter<LogLine>.Summary] {
            kinds.due(at: now, all: all) + subjects.due(at: now, all: all)
        }
    }

    /// Writes what was held back and is due. A service calls this now and then, so that it is told even when nothing else is.
    public func tick() {
        repeats.withLock { summarise(&$0, at: clock.now()) }
    }

    /// Writes everything that was held back: the last thing before a service ends.
    public func finish() {
        repeats.withLock { summarise(&$0, at: clock.now(), all: true) }
    }

    private func summarise(_ repeats: inout Repeats, at now: Instant, all: Bool = false) {
        for summary in repeats.due(at: now, all: all) {
            var line = summary.line
            // What changes from one to the next is told of none; what they are all about, of all.
            line.fields =
                (line.subject.map { [.text("device", $0)] } ?? [])
                + [.number("repeated", summary.count), .text("since", line.time.description)]
            line.time = now
            line.place = nil
            put(line)
        }
    }

    /// Writes a line. Only while `repeats` is held, so that lines do not mix.
    private func put(_ line: LogLine) {
        recent.withLock { $0.add(line) }
        var text = line.text(format)
        let isWritten = text.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                let count = Foundation.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                start += count
            }
            return true
        }
        if !isWritten { lost.wrappingAdd(1, ordering: .relaxed) }
    }
}

extension Problem {
    /// What happened, in English, without what somebody sent: it may be a place, or a secret.
    public var messageWithoutInput: String {
        switch self {
        case .validationFailed(let field, _, let reason, _): "\(field) cannot be used: \(reason)."
        case .decodingFailed(let source, let line, _): "\(source)\(line.map { ", line \($0)" } ?? "") cannot be read."
        default: Language.english.words.message(self)
        }
    }
}
