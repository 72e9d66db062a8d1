import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Observability

/// A clock that only moves when a test advances it.
private final class StepClock: WallClock {
    private let time = Mutex(Instant("2026-05-01T10:00:00Z")!)

    func now() -> Instant { time.withLock { $0 } }
    func advance(by seconds: Double) { time.withLock { $0 = $0 + seconds } }
}

@Suite("Log")
struct LogTests {
    /// A log that is written to a file.
    private final class LogFile {
        let directory: TemporaryDirectory
        let clock = StepClock()
        let log: Log
        private let descriptor: Int32
        private var path: String { directory.path + "/log" }

        init(_ level: LogLevel = .info, _ format: LogFormat = .json) throws {
            directory = try TemporaryDirectory()
            descriptor = open(directory.path + "/log", O_CREAT | O_WRONLY | O_APPEND, 0o600)
            log = Log(level: level, format: format, descriptor: descriptor, clock: clock)
        }

        deinit { close(descriptor) }

        func text() throws -> String {
            log.flush(within: Watchdog.seconds)
            return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        }
        func lines() throws -> [JSONValue] { try text().split(separator: "\n").map { try JSONParser.parse(String($0)) } }
    }

    @Test("In JSON format, a line is one object with time, level, event, message and fields")
    func json() throws {
        let logFile = try LogFile()
        logFile.log.info(
            "started", "The service is listening.", fields: [.text("address", "127.0.0.1:7575"), .number("threads", 2)])
        logFile.log.warning(
            "refused", "A request was refused.", reason: "missing",
            fields: [.seconds("took", 0.00123456789), .flag("isLast", true)])
        #expect(
            try logFile.text() == """
                {"time":"2026-05-01T10:00:00.000Z","level":"info","event":"started","message":"The service is listening.","address":"127.0.0.1:7575","threads":2}
                {"time":"2026-05-01T10:00:00.000Z","level":"warning","event":"refused","message":"A request was refused.","reason":"missing","took":0.001235,"isLast":true}

                """)
    }

    @Test("In text format, a line is readable for people")
    func text() throws {
        let logFile = try LogFile(.debug, .text)
        logFile.log.error(
            "stopped", "It stopped.", reason: "no room", fields: [.text("empty", ""), .text("path", "/a b"), .number("n", -3)])
        #expect(
            try logFile.text() == """
                2026-05-01T10:00:00.000Z error   stopped: It stopped. reason="no room" empty="" path="/a b" n=-3

                """)
    }

    @Test(
        "An entry stays on one line, regardless of what its fields contain", arguments: LogFormat.allCases,
        ["a\nb", "\"", "\u{1B}[31mred", "a=b", "\\", "\u{202E}left", "\0", "ü", "\u{2028}"])
    func hostile(_ format: LogFormat, _ value: String) throws {
        let logFile = try LogFile(.info, format)
        logFile.log.info("x", "Words.", reason: value, fields: [.text("value", value)])
        let text = try logFile.text()
        #expect(text.split(whereSeparator: \.isNewline).count == (format == .json && value == "\u{2028}" ? 3 : 1))
        #expect(text.hasSuffix("\n") && text.unicodeScalars.count { $0.value < 0x20 } == 1)
        if format == .json { #expect(try logFile.lines()[0]["value"]?.string == value) }
        if format == .text { #expect(!text.contains("\u{202E}")) }
    }

    @Test("The log writes entries of its level and above, and the level can be changed", arguments: LogLevel.allCases)
    func levels(_ level: LogLevel) throws {
        let logFile = try LogFile(level)
        func all() {
            logFile.log.error("e", "e")
            logFile.log.warning("w", "w")
            logFile.log.info("i", "i")
            logFile.log.debug("d", "d")
        }
        all()
        let expected = LogLevel.allCases.filter { $0 >= level }.map(\.rawValue)
        #expect(try logFile.lines().compactMap { $0["level"]?.string } == expected)
        logFile.log.setLevel(.debug)
        all()
        #expect(try logFile.lines().count == expected.count + 4)
    }

    @Test("The fields of an entry below the level are not evaluated")
    func lazy() throws {
        let logFile = try LogFile()
        func field() -> LogField {
            Issue.record("nobody needs it")
            return .flag("x", true)
        }
        logFile.log.debug("d", "d", fields: [field()])
    }

    @Test("The input that caused a problem is not logged")
    func places() throws {
        for level in LogLevel.allCases {
            let logFile = try LogFile(level)
            logFile.log.logProblem(
                .validationFailed(field: "latitude", value: "52.5163", reason: .verbatim("it is odd"), expected: .anotherName),
                "refused")
            logFile.log.logProblem(
                .decodingFailed(source: "body", line: 3, reason: .verbatim("'52.5163' is odd")), "refused")
            #expect(try !logFile.text().contains("52.5163"), "\(level)")
        }
    }

    @Test("A problem is logged with its code, its message and its details")
    func problem() throws {
        let logFile = try LogFile()
        logFile.log.logProblem(
            .noConnection(peer: "http://a", details: "refused"), "sync", level: .warning, fields: [.number("try", 2)])
        let line = try #require(try logFile.lines().first)
        #expect(line["level"]?.string == "warning" && line["event"]?.string == "sync" && line["reason"]?.string == "noConnection")
        #expect(line["message"]?.string?.contains("http://a") == true)
        #expect(line["details"]?.string == "refused" && line["try"]?.double == 2)
    }

    // MARK: - Repeats

    @Test("Repeated entries are held back and counted")
    func repeats() throws {
        let logFile = try LogFile()
        for _ in 0..<25 { logFile.log.warning("refused", "No.", reason: "missing", fields: [.text("device", "a")]) }
        for _ in 0..<3 { logFile.log.warning("refused", "No.", reason: "future") }
        #expect(try logFile.lines().count == 13)
        logFile.clock.advance(by: 59)
        logFile.log.writeDueSummaries()
        #expect(try logFile.lines().count == 13)
        logFile.clock.advance(by: 1)
        logFile.log.writeDueSummaries()
        logFile.log.writeDueSummaries()
        let lines = try logFile.lines()
        #expect(lines.count == 14)
        #expect(
            lines.last?.description
                == #"{"time":"2026-05-01T10:01:00.000Z","level":"warning","event":"refused","message":"No.","reason":"missing","repeated":15,"since":"2026-05-01T10:00:00.000Z"}"#
        )
        logFile.log.warning("refused", "No.", reason: "missing")
        #expect(try logFile.lines().count == 15)
    }

    @Test("The count of held-back entries is written before the next due line, and at the end")
    func order() throws {
        let logFile = try LogFile()
        for _ in 0..<11 { logFile.log.info("a", "A.") }
        logFile.clock.advance(by: 61)
        logFile.log.info("b", "B.")
        #expect(try logFile.lines().suffix(2).map { $0["event"]?.string } == ["a", "b"])
        for _ in 0..<12 { logFile.log.info("c", "C.") }
        logFile.log.writeAllSummaries()
        logFile.log.writeAllSummaries()
        #expect(try logFile.lines().last?["repeated"]?.double == 2)
        #expect(try logFile.lines().count == 10 + 1 + 1 + 10 + 1)
    }

    @Test("No entry of level debug is held back")
    func debug() throws {
        let logFile = try LogFile(.debug)
        for _ in 0..<100 { logFile.log.debug("request", "A request.") }
        #expect(try logFile.lines().count == 100)
    }

    @Test("The limiter keeps count of a limited number of kinds, and admits every line of other kinds")
    func kinds() {
        var limiter = RepeatLimiter<Int>(most: 2, window: 60, capacity: 3)
        let start = Instant.earliest
        for kind in 0..<5 {
            let passed = (0..<4).count { limiter.admits("\(kind)", at: start, line: $0) }
            #expect(passed == (kind < 3 ? 2 : 4))
        }
        #expect(limiter.takeDueSummaries(at: start + 60).map(\.count) == [2, 2, 2])
        #expect(limiter.takeDueSummaries(at: start + 60).isEmpty)
    }

    @Test("Refusals of too many devices are counted as one kind, and other entries are still limited")
    func manySubjects() throws {
        let logFile = try LogFile(.warning)
        func refuse(_ device: String) {
            logFile.log.logRefusals([
                Refusal(.unreadable, device: device, field: "lat", value: "abc", reason: .notANumber)
            ])
        }
        for number in 0..<1100 { refuse("d\(number)") }
        for _ in 0..<500 { refuse("last") }
        // One line for each of the first thousand devices, and ten for all others.
        #expect(try logFile.lines().count == 1010)
        for _ in 0..<50 { logFile.log.warning("other", "Something else.") }
        #expect(try logFile.lines().count == 1020)
        logFile.clock.advance(by: 60)
        logFile.log.writeDueSummaries()
        let summaries = try logFile.lines().dropFirst(1020)
        let repeated: [Double?] = summaries.map { $0["repeated"]?.double }
        #expect(repeated.count == 2 && repeated.contains(40) && repeated.contains(590))
        #expect(summaries.allSatisfy { $0["device"] == nil }, "many devices are not one")
    }

    @Test("The limiter continues when the clock is set back")
    func clockSetBack() {
        var limiter = RepeatLimiter<Int>(most: 1, window: 60)
        let start = Instant("2026-05-01T10:00:00Z")!
        for number in 0..<3 { _ = limiter.admits("a", at: start, line: number) }
        #expect(limiter.takeDueSummaries(at: start).isEmpty)
        let earlier = start + -3600
        #expect(limiter.takeDueSummaries(at: earlier).map(\.count) == [2])
        let isAdmitted = limiter.admits("a", at: earlier, line: 9)
        #expect(isAdmitted)
    }

    @Test("Entries written from several threads are neither lost nor mixed")
    func threads() throws {
        let logFile = try LogFile(.debug)
        let log = logFile.log
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for number in 0..<100 { log.debug("x", "Words.", fields: [.number("worker", worker), .number("number", number)]) }
        }
        let lines = try logFile.lines()
        #expect(lines.count == 800)
        for worker in 0..<8 {
            let numbers = lines.filter { $0["worker"]?.double == Double(worker) }.compactMap { $0["number"]?.double }
            let written: [Double] = (0..<100).map { Double($0) }
            #expect(numbers == written)
        }
    }

    @Test("Lines that cannot be written are counted, and the log continues")
    func lost() {
        let log = Log(descriptor: -1)
        log.info("a", "A.")
        log.info("b", "B.")
        log.flush(within: Watchdog.seconds)
        #expect(log.lostLines == 2)
    }

    @Test("A pipe that is not read does not delay the program: lines beyond a limit are dropped, counted and reported")
    func unreadPipe() throws {
        let pipe = Pipe()
        let log = Log(level: .debug, format: .json, descriptor: pipe.fileHandleForWriting.fileDescriptor, clock: StepClock())
        // More than a pipe and the log's memory hold.
        let text = String(repeating: "x", count: 1000)
        for number in 0..<5000 { log.debug("step", "A step.", fields: [.number("number", number), .text("text", text)]) }
        #expect(log.lostLines > 1000)
        let isRead = DispatchSemaphore(value: 0)
        let read = Mutex(Data())
        Thread {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            read.withLock { $0 = data }
            isRead.signal()
        }.start()
        log.info("after", "The pipe is read again.")
        log.flush(within: Watchdog.seconds)
        pipe.fileHandleForWriting.closeFile()
        isRead.wait()
        let lines = try String(decoding: read.withLock { $0 }, as: UTF8.self).split(separator: "\n").map {
            try JSONParser.parse(String($0))
        }
        let numbers = lines.compactMap { $0["number"]?.double }
        #expect(numbers == numbers.indices.map(Double.init))
        let reported = lines.filter { $0["event"]?.string == "lost" }.compactMap { $0["count"]?.double }.reduce(0, +)
        #expect(reported == Double(log.lostLines))
        #expect(lines.count { ["step", "after"].contains($0["event"]?.string) } + log.lostLines == 5001)
    }

    @Test("The log keeps a limited number of recent lines in memory, without values of refused input")
    func recentLines() throws {
        let logFile = try LogFile(.debug, .json)
        logFile.log.debug("fix", "A fix came.")
        #expect(logFile.log.recentLines == ["2026-05-01T10:00:00.000Z debug   fix: A fix came."])
        for number in 1...700 { logFile.log.debug("step", "A step.", fields: [.number("number", number)]) }
        let lines = logFile.log.recentLines
        #expect(lines.count == 300)
        #expect(lines.first?.hasSuffix("number=401") == true && lines.last?.hasSuffix("number=700") == true)
        logFile.log.debug("long", "A long one.", fields: [.text("text", String(repeating: "x", count: 5000))])
        #expect(logFile.log.recentLines.last?.count == 1000)
        logFile.log.setLevel(.error)
        logFile.log.info("hidden", "Nobody wants it.")
        #expect(logFile.log.recentLines.last?.contains("hidden") == false)
    }
}

@Suite("Log file")
struct LogFileTests {
    @Test("A log appends to its file, and follows a rotation when it is reopened")
    func rotation() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/picket.log"
        let clock = StepClock()
        let earlier = try Log(level: .info, format: .text, path: path, clock: clock)
        earlier.info("first", "From the run before.")
        earlier.flush(within: Watchdog.seconds)
        let log = try Log(level: .info, format: .text, path: path, clock: clock)
        func lines(_ path: String) throws -> [String] {
            log.flush(within: Watchdog.seconds)
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { String($0) }
        }
        log.info("started", "One.")
        #expect(try lines(path).count == 2)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        log.info("renamed", "Two.")
        #expect(try lines(path + ".1").count == 3)
        try log.reopen()
        log.info("reopened", "Three.")
        #expect(try lines(path + ".1").count == 3)
        #expect(try lines(path).count == 1 && lines(path)[0].contains("reopened"))
        #expect(log.lostLines == 0)
    }

    @Test("A file that cannot be opened is a problem, and the log continues in the old one")
    func unusable() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path + "/logs"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let log = try Log(level: .info, format: .text, path: folder + "/picket.log", clock: StepClock())
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-old")
        #expect(throws: Problem.self) { try log.reopen() }
        log.info("on", "The log goes on.")
        log.flush(within: Watchdog.seconds)
        #expect(try String(contentsOfFile: folder + "-old/picket.log", encoding: .utf8).contains("on: The log goes on."))
        #expect(throws: Problem.self) {
            try Log(level: .info, format: .text, path: "/nowhere/picket.log", clock: StepClock())
        }
    }
}
