import Delivery
import Foundation
import HTTPClient
import Model
import Synchronization
import TestSupport
import Testing
import Workers

@testable import Senders

/// Sends messages one after the other, like a delivery.
struct SenderBench {
    let senders: Senders

    init(_ options: TransferLoop.Options = .patient, resolver: NameResolver = NameResolver()) throws {
        senders = try Senders(options, resolver: resolver, now: { Instant("2026-05-01T10:00:00Z")! })
    }

    static func sink(_ json: String) throws -> Sink { try Sink(json: JSONParser.parse(json), id: nil) }

    /// An event to send.
    static func event(_ id: String = "e1", device: String = "Mia") -> OutboxItem {
        let time = Instant("2026-05-01T10:00:00Z")!
        return .event(
            OutboxEvent(
                event: Event(
                    id: id, sequence: 1, type: .enter, deviceId: "mia", geofenceId: "home", geofenceName: "Home",
                    occurredAt: time,
                    recordedAt: time, confirmedAt: time, cause: .moved,
                    fix: Fix(time: time, coordinate: .init(latitude: 52.5, longitude: 13.4))), deviceName: device))
    }

    func send(_ sink: Sink, _ item: OutboxItem = event()) throws -> SendResult {
        let sender = senders.sender(for: sink)
        defer { sender.stop() }
        return try send(sink, item, by: sender)
    }

    func send(_ sink: Sink, _ item: OutboxItem, by sender: any SinkSender) throws -> SendResult {
        let message = try #require(try MessageComposer(sink, zone: .utc).message(for: item))
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<SendResult?>(nil)
        sender.send(message) { received in
            result.withLock { $0 = received }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + Watchdog.seconds) == .success)
        return try #require(result.withLock { $0 })
    }
}

extension TransferLoop.Options {
    /// Options with timeouts that no answer exceeds.
    static var patient: Self {
        var options = Self()
        options.connectTimeout = Watchdog.seconds
        options.timeout = Watchdog.seconds
        return options
    }
}

@Suite("Sending over HTTP")
struct WebSenderTests {
    private func webhook(_ url: String, _ more: String = "") throws -> Sink {
        try SenderBench.sink(#"{"id":"hook","kind":"webhook","url":"\#(url)"\#(more)}"#)
    }

    @Test("An answer that says it is compressed is kept as it is, so that a small one cannot become large")
    func compressed() throws {
        // libcurl would refuse this, or unpack it, if it decompressed answers.
        let packed = "not gzip"
        let endpoint = try ScriptedEndpoint { _, _ in .answer(200, headers: ["Content-Encoding: gzip"], body: packed) }
        let loop = try TransferLoop(.patient)
        let thread = WorkThreads("test") { loop.run() }
        defer {
            loop.stop()
            thread.join()
        }
        let answer = DispatchSemaphore(value: 0)
        let result = Mutex<TransferResult?>(nil)
        loop.start(.web(HTTPRequest("POST", endpoint.url, headers: [HTTPHeader("Accept-Encoding", "gzip")]))) { received in
            result.withLock { $0 = received }
            answer.signal()
        }
        #expect(answer.wait(timeout: .now() + Watchdog.seconds) == .success)
        let response = try #require(result.withLock { $0 }).response
        #expect(response.status == 200 && response.body == Array(packed.utf8))
    }

    @Test("The sender reuses its connections, and sends the headers and token of the sink")
    func kept() throws {
        let bench = try SenderBench()
        let endpoint = try ScriptedEndpoint()
        let sink = try webhook(endpoint.url + "/a?b=c", #","token":"t0k","headers":{"X-Own":"mine"}"#)
        for number in 0..<3 { #expect(try bench.send(sink, SenderBench.event("e\(number)")).outcome == .delivered) }
        let requests = endpoint.requests
        #expect(requests.map { $0.headers["idempotency-key"] } == ["e0", "e1", "e2"])
        #expect(
            requests.allSatisfy { $0.method == "POST" && $0.target == "/a?b=c" && $0.headers["authorization"] == "Bearer t0k" })
        #expect(requests[0].headers["x-own"] == "mine" && requests[0].headers["user-agent"] == "Picket")
        #expect(requests[0].headers["expect"] == nil && requests[0].headers["content-type"] == "application/json")
        #expect(endpoint.connectionCount == 1)
    }

    @Test("A redirect is followed with the event, and a permanent redirect is reported", arguments: [301, 302, 307, 308])
    func redirect(status: Int) throws {
        let bench = try SenderBench()
        let other = try ScriptedEndpoint()
        let endpoint = try ScriptedEndpoint { [url = other.url] _, _ in .answer(status, headers: ["Location: \(url)/new"]) }
        let result = try bench.send(try webhook(endpoint.url, #","token":"t0k","signingSecret":"s""#))
        #expect(result.outcome == .delivered)
        #expect(result.movedTo == (status == 301 || status == 308 ? other.url + "/new" : nil))
        let request = try #require(other.requests.first)
        #expect(request.method == "POST" && request.body == endpoint.requests[0].body && request.target == "/new")
        #expect(request.headers["authorization"] == nil && request.headers["picket-signature"] == nil, "it is another host")
        #expect(endpoint.requests[0].headers["authorization"] == "Bearer t0k")
    }

    @Test("Endless redirects are followed five times, and a 303 is not followed")
    func endless() throws {
        let bench = try SenderBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(307, headers: ["Location: /again"]) }
        guard case .retry(.sinkUnreachable(_, 307, let details), nil) = try bench.send(try webhook(endpoint.url)).outcome else {
            Issue.record("it is tried again later")
            return
        }
        #expect(details.description.contains("\(endpoint.url)/again") && endpoint.requests.count == 6)
        endpoint.script { _, _ in .answer(303, headers: ["Location: /elsewhere"]) }
        guard case .retry = try bench.send(try webhook(endpoint.url)).outcome else {
            Issue.record("it is tried again later")
            return
        }
        #expect(endpoint.requests.count == 7)
    }

    @Test(
        "A response with an endless head is refused, and tried again later", arguments: [80, 1000, 60_000])
    func endlessHead(line: Int) throws {
        let bench = try SenderBench()
        let endpoint = try ScriptedEndpoint { _, _ in .endlessHead(line: line) }
        let outcome = try bench.send(try webhook(endpoint.url)).outcome
        #expect(outcome == .retry(.tooLarge(what: .answer(endpoint.url), limit: .bytes(65_536)), after: nil))
    }

    @Test("A redirection to a very long address is not followed", arguments: [8_000, 20_000, 60_000])
    func longRedirect(length: Int) throws {
        let bench = try SenderBench()
        let path = "/" + String(repeating: "a1", count: length / 2)
        let endpoint = try ScriptedEndpoint { _, number in
            number == 0 ? .answer(307, headers: ["Location: \(path)"]) : .answer(200)
        }
        let outcome = try bench.send(try webhook(endpoint.url)).outcome
        if length == 8_000 {
            #expect(outcome == .delivered && endpoint.requests[1].target == path)
        } else {
            guard case .retry(.sinkUnreachable, nil) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(endpoint.requests.count == 1)
        }
    }

    @Test(
        "An answer that is not HTTP is tried again later, and the address is not called invalid",
        arguments: [
            "hello\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{03}\u{03}\u{00}\u{02}\u{02}F", "HTTP/3.0 200 OK\r\n\r\n",
            "HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 20 x\r\nContent-Length: 0\r\n\r\n",
        ])
    func notHTTP(_ text: String) throws {
        let bench = try SenderBench()
        let endpoint = try ScriptedEndpoint { _, number in number == 0 ? .text(text) : .answer(200) }
        let sink = try webhook(endpoint.url)
        guard case .retry(.noConnection(endpoint.url, let details), nil) = try bench.send(sink).outcome else {
            Issue.record("it is tried again later")
            return
        }
        #expect(details.phrases == [.notHTTP])
        #expect(try bench.send(sink).outcome == .delivered)
    }

    @Test("A name is resolved once for many messages, and its addresses are used in turn")
    func names() throws {
        let asked = Mutex<[String]>([])
        let resolver = NameResolver { name in
            asked.withLock { $0.append(name) }
            return name == "sink.example"
                ? .success(["127.0.0.3", "127.0.0.1"]) : .failure(.init(message: "gone", isTemporary: false))
        }
        let bench = try SenderBench(resolver: resolver)
        let endpoint = try ScriptedEndpoint()
        // Nothing listens at the first address.
        let sink = try webhook("http://sink.example:\(endpoint.port)/a")
        for number in 0..<5 { #expect(try bench.send(sink, SenderBench.event("e\(number)")).outcome == .delivered) }
        #expect(endpoint.requests.count == 5 && endpoint.requests[0].headers["host"] == "sink.example:\(endpoint.port)")
        let unknown = try bench.send(try webhook("http://other.example/")).outcome
        let details = Phrase.verbatim("Could not resolve host: other.example (gone)")
        #expect(unknown == .retry(.noConnection(peer: "http://other.example", details: details), after: nil))
        #expect(asked.withLock { $0 } == ["sink.example", "other.example"])
    }

    @Test("A name that is not resolved in time fails the message, and delays no other")
    func slowName() throws {
        let (release, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        defer { release.signal() }
        let resolver = NameResolver { _ in
            release.wait()
            return .failure(.init(message: "late", isTemporary: true))
        }
        var options = TransferLoop.Options.patient
        options.connectTimeout = 0.2
        let bench = try SenderBench(options, resolver: resolver)
        let sink = try webhook("http://slow.example/")
        let message = try #require(try MessageComposer(sink, zone: .utc).message(for: SenderBench.event()))
        let outcome = Mutex<DeliveryOutcome?>(nil)
        bench.senders.sender(for: sink).send(message) { received in
            outcome.withLock { $0 = received.outcome }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + Watchdog.seconds) == .success)
        guard case .retry(.timeout("http://slow.example", _), nil) = outcome.withLock({ $0 }) else {
            Issue.record("it is tried again later")
            return
        }
    }

    @Test("A private address is refused as a number, as a name and after a redirect")
    func refused() throws {
        let (outer, inner) = (try ScriptedEndpoint(), try ScriptedEndpoint(host: "127.0.0.2"))
        outer.script { [port = inner.port] request, _ in
            .answer(307, headers: ["Location: http://127.0.0.2:\(port)/inner"])
        }
        let strict = try SenderBench(.init(allowsPrivate: false))
        for url in ["http://127.0.0.1:\(outer.port)/", "http://localhost:\(outer.port)/", "http://2130706433:\(outer.port)/"] {
            guard case .pause(.validationFailed("url", _, let reason, _)) = try strict.send(try webhook(url)).outcome else {
                Issue.record("\(url) is refused")
                continue
            }
            #expect(reason == .privateAddress)
        }
        #expect(outer.requests.isEmpty)
        // Only 127.0.0.2 counts as private here, and 127.0.0.1 as public.
        var options = TransferLoop.Options()
        options.mayConnect = { address, _ in
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr.s_addr != inet_addr("127.0.0.2") }
        }
        guard case .pause(.validationFailed("url", _, _, _)) = try SenderBench(options).send(try webhook(outer.url)).outcome
        else {
            Issue.record("the redirection is refused")
            return
        }
        #expect(outer.requests.count == 1 && inner.requests.isEmpty)
    }

    @Test("The text of a response is reported without the sink's secrets and without control characters")
    func scrubbed() throws {
        let bench = try SenderBench()
        let endpoint = try ScriptedEndpoint { request, _ in
            .answer(401, body: "bad \u{1B}[31m\(request.headers["authorization"] ?? "") \(request.target)")
        }
        let sink = try webhook(endpoint.url + "/in/s3cr3tpathpart00?key=qu3ry", #","token":"t0ken""#)
        guard case .pause(.sinkUnauthorized("hook", 401, let details)) = try bench.send(sink).outcome else {
            Issue.record("it is paused")
            return
        }
        #expect(details == "bad  [31mBearer (hidden) /in/(hidden)?key=(hidden)")
    }
}

@Suite("Sending mail")
struct MailSenderTests {
    private func sink(_ server: String, _ more: String = "") throws -> Sink {
        try SenderBench.sink(
            #"{"id":"m","kind":"email","server":"\#(server)","from":"picket@example.com","to":["a@example.com","b@example.com"]\#(more)}"#
        )
    }

    @Test("The sender follows RFC 5321 with a mail server, for all recipients")
    func delivered() throws {
        let bench = try SenderBench()
        let server = try ScriptedMailServer()
        #expect(
            try bench.send(try sink(server.url, #","allowPlain":true,"user":"u","password":"p4ssword""#)).outcome == .delivered)
        let lines = server.lines
        #expect(lines.contains("MAIL FROM:<picket@example.com>"))
        #expect(lines.filter { $0.hasPrefix("RCPT TO:") } == ["RCPT TO:<a@example.com>", "RCPT TO:<b@example.com>"])
        #expect(lines.contains("Subject: Mia entered Home") && lines.contains("Message-ID: <picket.e1@example.com>"))
        #expect(lines.contains { $0.hasPrefix("AUTH PLAIN") })
    }

    @Test("The sender sends nothing unencrypted unless the sink allows it")
    func plain() throws {
        let bench = try SenderBench()
        let server = try ScriptedMailServer()
        let outcome = try bench.send(try sink(server.url)).outcome
        guard case .retry(.tlsFailed, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!server.lines.contains { $0.hasPrefix("MAIL") })
    }

    @Test(
        "Replies of a mail server mean what RFC 5321 says",
        arguments: [
            (535, "AUTH", "pause"), (550, "RCPT", "pause"), (450, "RCPT", "retry"), (554, "DATA", "reject"),
            (421, "MAIL", "retry"),
        ])
    func replies(code: Int, to command: String, means: String) throws {
        let bench = try SenderBench()
        let server = try ScriptedMailServer { line in line.hasPrefix(command) ? "\(code) 5.0.0 no\r\n" : nil }
        let outcome = try bench.send(try sink(server.url, #","allowPlain":true,"user":"u","password":"p4ssword""#)).outcome
        #expect("\(outcome)".hasPrefix(means), "\(outcome)")
    }
}

@Suite("A mail server that hangs", .timeLimit(.minutes(60)))
struct HangingMailServerTests {
    /// A mail server that answers nothing from a command on, and a mail that is being sent to it.
    private final class Scene: Sendable {
        let bench: SenderBench
        let server: ScriptedMailServer
        let sender: any SinkSender
        let outcome = Mutex<DeliveryOutcome?>(nil)
        let ended = DispatchSemaphore(value: 0)

        init(_ command: String) throws {
            let reached = DispatchSemaphore(value: 0)
            let isHanging = Atomic(false)
            server = try ScriptedMailServer { line in
                if line.hasPrefix(command) {
                    isHanging.store(true, ordering: .relaxed)
                    reached.signal()
                }
                return isHanging.load(ordering: .relaxed) ? "" : nil
            }
            bench = try SenderBench()
            let sink = try SenderBench.sink(
                #"{"id":"m","kind":"email","server":"\#(server.url)","from":"p@example.com","to":["a@example.com"],"allowPlain":true}"#
            )
            sender = bench.senders.sender(for: sink)
            let message = try #require(try MessageComposer(sink, zone: .utc).message(for: SenderBench.event()))
            sender.send(message) { [self] received in
                outcome.withLock { $0 = received.outcome }
                ended.signal()
            }
            try #require(reached.wait(timeout: .now() + Watchdog.seconds) == .success)
        }
    }

    @Test("Other messages are sent meanwhile", arguments: ["EHLO", "MAIL", "RCPT", "DATA", "DATA END"])
    func others(_ command: String) throws {
        let scene = try Scene(command)
        let endpoint = try ScriptedEndpoint()
        let hook = try SenderBench.sink(#"{"id":"hook","kind":"webhook","url":"\#(endpoint.url)"}"#)
        for number in 0..<3 { #expect(try scene.bench.send(hook, SenderBench.event("e\(number)")).outcome == .delivered) }
        #expect(scene.outcome.withLock { $0 } == nil, "the mail is still being sent")
        scene.sender.stop()
    }

    @Test(
        "A stop does not wait for the server, and the mail counts as not sent", arguments: ["EHLO", "RCPT", "DATA", "DATA END"])
    func stop(_ command: String) throws {
        let scene = try Scene(command)
        let start = ContinuousClock.now
        scene.sender.stop()
        scene.bench.senders.stop()
        #expect(ContinuousClock.now - start < .seconds(Watchdog.seconds / 10))
        #expect(scene.ended.wait(timeout: .now() + Watchdog.seconds) == .success)
        guard case .retry = scene.outcome.withLock({ $0 }) else {
            Issue.record("the outcome is \(String(describing: scene.outcome.withLock { $0 }))")
            return
        }
        #expect(!scene.server.lines.contains(".") || command == "DATA END", "no half mail is sent")
    }
}

@Suite("Writing to a file")
struct FileSenderTests {
    @Test("The sender appends one JSON object a line, even after the file was moved away or ends with half a line")
    func lines() throws {
        let bench = try SenderBench()
        let directory = try TemporaryDirectory()
        let path = directory.path + "/events.ndjson"
        let sink = try SenderBench.sink(#"{"id":"f","kind":"file","path":"\#(path)"}"#)
        let sender = bench.senders.sender(for: sink)
        #expect(sender.isPipelined)
        for number in 0..<3 { #expect(try bench.send(sink, SenderBench.event("e\(number)"), by: sender).outcome == .delivered) }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        try directory.write("{\"half", to: "events.ndjson")
        #expect(try bench.send(sink, SenderBench.event("e3"), by: sender).outcome == .delivered)
        sender.stop()
        func ids(_ path: String) throws -> [String?] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
                (try? JSONParser.parse(String($0)))?["id"]?.string
            }
        }
        #expect(try ids(path + ".1") == ["e0", "e1", "e2"])
        #expect(try ids(path) == [nil, "e3"])
    }

    @Test("A pipe that is not read gives a retry when it is full")
    func fullPipe() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let sink = try SenderBench.sink(#"{"id":"f","kind":"file","path":"\#(path)"}"#)
        let item = SenderBench.event(device: String(repeating: "x", count: 2_000_000))
        guard case .retry(.fileFailed(path, _), _) = try SenderBench().send(sink, item).outcome else {
            Issue.record("it is tried again later")
            return
        }
    }

    @Test("After an error, only the lines that are not completely written are sent again")
    func partlyWritten() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(pipe) }
        let sink = try SenderBench.sink(#"{"id":"f","kind":"file","path":"\#(path)"}"#)
        let sender = try SenderBench().senders.sender(for: sink)
        defer { sender.stop() }
        let composer = try MessageComposer(sink, zone: .utc)
        let ids = (0..<200).map { "e\($0)" }
        var left = ids
        var text: [UInt8] = []
        var (rounds, failures) = (0, 0)
        while !left.isEmpty, rounds < 100 {
            rounds += 1
            let outcomes = Mutex<[String: DeliveryOutcome]>([:])
            let done = DispatchSemaphore(value: 0)
            for id in left {
                // Longer than what a pipe takes at once or not at all, together much more than a pipe holds.
                let message = try #require(
                    composer.message(for: SenderBench.event(id, device: String(repeating: "x", count: 5000))))
                sender.send(message) { result in
                    outcomes.withLock { $0[id] = result.outcome }
                    done.signal()
                }
            }
            for _ in left { #expect(done.wait(timeout: .now() + Watchdog.seconds) == .success) }
            left = left.filter { id in outcomes.withLock { $0[id] != .delivered } }
            failures += left.count
            if rounds == 1 { #expect(!left.isEmpty && left.count < 200) }
            var piece = [UInt8](repeating: 0, count: 1 << 20)
            while case let count = read(pipe, &piece, piece.count), count > 0 { text += piece[..<count] }
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let complete = lines.compactMap { (try? JSONParser.parse(String($0)))?["id"]?.string }
        #expect(complete == ids)
        // A round can be written in several parts, each of which can fail.
        #expect(lines.count > ids.count && lines.count <= ids.count + failures, "at most one unfinished line of each failure")
    }

    @Test("A file that cannot be written gives a retry")
    func failure() throws {
        let outcome = try SenderBench().send(try SenderBench.sink(#"{"id":"f","kind":"file","path":"/nonexistent/x"}"#)).outcome
        guard case .retry(.fileFailed("/nonexistent/x", _), _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }
}

@Suite("Running a program")
struct CommandSenderTests {
    private func sink(_ arguments: String...) throws -> Sink {
        try SenderBench.sink(
            JSONValue.object([
                .init("id", "c"), .init("kind", "command"), .init("command", .array(arguments.map(JSONValue.string))),
            ]).description)
    }

    @Test("The program gets its arguments unchanged, without a shell, and the event on standard input")
    func arguments() throws {
        let directory = try TemporaryDirectory()
        let out = directory.path + "/out"
        let sink = try sink(
            "/bin/sh", "-c", "printf '%s\\n' \"$1\" \"$2\" > \"$0\"; cat >> \"$0\"", out, "{device}; {type}", "$(id) `id`")
        #expect(try SenderBench().send(sink, SenderBench.event(device: "Mia \"$(touch x)\" 'é'\n-rf")).outcome == .delivered)
        let lines = try String(contentsOfFile: out, encoding: .utf8).components(separatedBy: "\n")
        #expect(lines[0] == "Mia \"$(touch x)\" 'é'" && lines[1] == "-rf; enter" && lines[2] == "$(id) `id`")
        #expect(try JSONParser.parse(lines[3])["id"] == "e1")
    }

    @Test(
        "The exit status of the program decides the outcome",
        arguments: [(0, "delivered"), (65, "reject"), (77, "pause"), (78, "pause"), (1, "retry"), (75, "retry")])
    func status(code: Int, means: String) throws {
        let outcome = try SenderBench().send(try sink("/bin/sh", "-c", "echo sorry >&2; exit \(code)")).outcome
        #expect("\(outcome)".hasPrefix(means), "\(outcome)")
        if code != 0 { #expect(outcome.problem?.details(in: .english)?.contains("sorry") == true) }
    }

    @Test("A missing program pauses the sink, a killed one gives a retry, and one that ignores its input counts as success")
    func oddities() throws {
        let bench = try SenderBench()
        guard case .pause(.sinkRejected("c", 127, let details)) = try bench.send(try sink("/nonexistent/notify")).outcome else {
            Issue.record("it is paused")
            return
        }
        #expect(details.description.contains("/nonexistent/notify"))
        guard case .retry(.sinkUnreachable, _) = try bench.send(try sink("/bin/sh", "-c", "kill -9 $$")).outcome else {
            Issue.record("it is tried again")
            return
        }
        #expect(
            try bench.send(try sink("/bin/true"), SenderBench.event(device: String(repeating: "x", count: 200_000))).outcome
                == .delivered)
    }

    @Test("The program gets neither secrets nor open files of the service")
    func environment() throws {
        setenv("PICKET_TOKEN", "s3cret", 1)
        defer { unsetenv("PICKET_TOKEN") }
        let directory = try TemporaryDirectory()
        let out = directory.path + "/out"
        let sink = try sink("/bin/sh", "-c", "env > \"$0\"; ls /proc/self/fd >> \"$0\"", out)
        #expect(try SenderBench().send(sink).outcome == .delivered)
        let text = try String(contentsOfFile: out, encoding: .utf8)
        #expect(!text.contains("s3cret") && text.contains("PATH="))
        // Open descriptors: standard input, output, error, and the directory that ls reads.
        #expect(text.split(separator: "\n").filter { Int($0) != nil }.count <= 4)
    }

    @Test("A stop ends running programs")
    func stopping() throws {
        let bench = try SenderBench()
        let sink = try sink("/bin/sleep", "1000")
        let sender = bench.senders.sender(for: sink)
        let message = try #require(try MessageComposer(sink, zone: .utc).message(for: SenderBench.event()))
        let outcome = Mutex<DeliveryOutcome?>(nil)
        sender.send(message) { received in outcome.withLock { $0 = received.outcome } }
        sender.stop()
        #expect(outcome.withLock { $0 } == DeliveryOutcome(.cancelled))
    }
}
