import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import picket

@Suite("Reconnecting commands")
struct ReconnectTests {
    private static let unauthorized = LoopbackServer.problem(.unauthorized(details: ""), "401 Unauthorized")

    private static func event(_ number: Int64) -> Event {
        let time = Instant(milliseconds: 1_777_000_000_000 + number * 1000)
        return Event(
            id: "e\(number)", sequence: number, type: .enter, deviceId: "anna", geofenceId: "home", geofenceName: "Home",
            occurredAt: time, recordedAt: time, confirmedAt: time, cause: .moved,
            fix: Fix(time: time, coordinate: .init(latitude: 52.5, longitude: 13.4)))
    }

    private static func page(_ numbers: ClosedRange<Int64>) -> JSONValue {
        ["events": .array(numbers.map { event($0).json }), "cursor": .string("\(numbers.upperBound)")]
    }

    private static func emptyPage(after number: Int64) -> JSONValue { ["events": [], "cursor": .string("\(number)")] }

    /// The answer to a request. Requests after the last one are refused, which ends every command.
    private static func step(_ script: [[LoopbackServer.Step]], _ number: Int) -> [LoopbackServer.Step] {
        script.indices.contains(number) ? script[number] : unauthorized
    }

    /// The event number in a request's `after`.
    private static func after(_ request: String) -> Int64? {
        request.split(separator: " ")[1].split(whereSeparator: { "?&".contains($0) }).first { $0.hasPrefix("after=") }
            .flatMap { Int64($0.dropFirst("after=".count)) }
    }

    private static func sequences(_ result: InProcessCommand.Result) throws -> [Int64] {
        try result.output.map { try Int64(#require(JSONParser.parse($0)["sequence"]?.double)) }
    }

    /// Whether each wait is its nominal length, shortened by up to a quarter.
    private static func areWaits(_ waits: [Double], _ nominal: [Double]) -> Bool {
        waits.count == nominal.count && zip(waits, nominal).allSatisfy { $0 <= $1 && $0 >= 0.75 * $1 - 0.001 }
    }

    // MARK: - events --follow

    @Test("Following continues after every kind of failure, without loss or repetition")
    func follow() throws {
        let busy = LoopbackServer.problem(
            .rateLimited(retryAfter: 20), "503 Service Unavailable", headers: "Retry-After: 20\r\n")
        let script: [[LoopbackServer.Step]] = [
            LoopbackServer.json(Self.page(1...2)), LoopbackServer.json(Self.emptyPage(after: 2)), [.close],
            LoopbackServer.json(Self.page(3...3)), [.reset], LoopbackServer.half(Self.page(4...5)),
            LoopbackServer.last("502 Bad Gateway", "", "<html>proxy</html>"), busy, LoopbackServer.json(Self.page(4...5)),
            LoopbackServer.json(Self.emptyPage(after: 9)), Self.unauthorized,
        ]
        let server = try LoopbackServer { _, number in Self.step(script, number) }
        let result = try InProcessCommand().run(QueryCommands.events, "--follow", "--json", "--server", server.url)
        #expect(try Self.sequences(result) == [1, 2, 3, 4, 5])
        // An incomplete request is repeated unchanged; an empty page gives the number from which to continue.
        #expect(server.requests.map(Self.after) == [0, 2, 2, 2, 3, 3, 3, 3, 3, 5, 9])
        #expect(result.problem?.code == "unauthorized")
        #expect(result.waits.count == 5 && result.waits[4] == 20, "\(result.waits)")
        #expect(Self.areWaits(Array(result.waits.prefix(4)), [1, 1, 2, 4]), "\(result.waits)")
        let states = try result.errors.map { try JSONParser.parse($0)["connection"]?["state"]?.string }
        #expect(states == ["reconnecting", "connected", "reconnecting", "connected"])
    }

    @Test("An outage is reported once, retried as long as it lasts, and its end is reported")
    func outage() throws {
        let port = try FreePort.find()
        let first = try LoopbackServer(port: port) { _, number in
            switch number {
            case 0: LoopbackServer.json(Self.page(1...2))
            case 1: LoopbackServer.json(Self.emptyPage(after: 2))
            default: [.close]
            }
        }
        // The service ends before the first wait, and starts again during the fortieth.
        let second = Mutex<LoopbackServer?>(nil)
        let command = try InProcessCommand { wait in
            if wait == 0 { first.stop() }
            guard wait == 39 else { return }
            let server = try LoopbackServer(port: port) { _, number in
                number == 0 ? LoopbackServer.json(Self.page(3...4)) : Self.unauthorized
            }
            second.withLock { $0 = server }
        }
        let result = try command.run(QueryCommands.events, "--follow", "--server", "http://127.0.0.1:\(port)")
        #expect(result.output.count == 4)
        #expect(result.problem?.code == "unauthorized")
        #expect(
            result.errors.filter { !$0.hasPrefix("  ") } == [
                "Connection lost. Reconnecting …", "Live updates paused. Reconnecting in background.", "Connected again.",
            ])
        #expect(Self.areWaits(result.waits, [1, 2, 4, 8, 16] + Array(repeating: 30, count: 35)), "\(result.waits)")
    }

    @Test("A command waits for a service that has not started, and names it")
    func notYet() throws {
        let port = try FreePort.find()
        let held = Mutex<LoopbackServer?>(nil)
        let command = try InProcessCommand { wait in
            guard wait == 2 else { return }
            let server = try LoopbackServer(port: port) { _, number in
                Self.step([LoopbackServer.json(Self.page(1...1)), LoopbackServer.json(Self.emptyPage(after: 1))], number)
            }
            held.withLock { $0 = server }
        }
        let url = "http://127.0.0.1:\(port)"
        let result = try command.run(QueryCommands.events, "--follow", "--language", "tr", "--server", url)
        #expect(result.output.count == 1)
        #expect(
            result.errors.filter { !$0.hasPrefix("  ") }
                == ["\(url) adresine ulaşılamıyor. Yeniden deneniyor …", "\(url) adresine bağlandı."])
        #expect(Self.areWaits(result.waits, [1, 2, 4]))
    }

    @Test(
        "A command ends at once when only a person can help",
        arguments: [
            (LoopbackServer.problem(.unauthorized(details: ""), "401 Unauthorized"), "unauthorized"),
            (LoopbackServer.problem(.forbidden(details: ""), "403 Forbidden"), "forbidden"),
            (LoopbackServer.problem(.notFound(kind: .device, id: "x", similar: []), "404 Not Found"), "notFound"),
            (LoopbackServer.last("200 OK", "Content-Type: text/html\r\n", "<html></html>"), "decodingFailed"),
        ] as [([LoopbackServer.Step], String)])
    func hopeless(_ steps: [LoopbackServer.Step], _ code: String) throws {
        for command in [QueryCommands.events, HealthCommand.command] {
            let server = try LoopbackServer { _, _ in steps }
            let option = command.name == "events" ? "--follow" : "--watch"
            let result = try InProcessCommand().run(command, option, "--server", server.url)
            #expect(result.problem?.code == code)
            #expect(result.waits.isEmpty && result.errors.isEmpty && server.requests.count == 1)
        }
    }

    @Test("No event is lost or repeated, regardless of what the service does", arguments: 0..<40 as Range<UInt64>)
    func randomFaults(_ seed: UInt64) throws {
        let random = Mutex(SeededRandom(seed: seed))
        let last: Int64 = 30
        let server = try LoopbackServer { request, _ in
            // TLS is also tried with a peer that has never answered.
            if request == "TLS" { return [.close] }
            let after = Self.after(request) ?? 0
            if after >= last { return Self.unauthorized }
            return random.withLock { random in
                let upTo = min(last, after + Int64.random(in: 1...4, using: &random))
                switch Int.random(in: 0..<9, using: &random) {
                case 0: return [.close]
                case 1: return [.reset]
                case 2: return LoopbackServer.half(Self.page(after + 1...upTo))
                case 3: return LoopbackServer.last("500 Internal Server Error")
                case 4: return LoopbackServer.problem(.cancelled, "503 Service Unavailable")
                case 5: return LoopbackServer.json(Self.emptyPage(after: after))
                case 6: return LoopbackServer.json(Self.page(after + 1...upTo)) + [.close]
                default: return LoopbackServer.json(Self.page(after + 1...upTo))
                }
            }
        }
        let result = try InProcessCommand().run(QueryCommands.events, "--follow", "--json", "--server", server.url)
        #expect(try Self.sequences(result) == Array(1...last), "seed \(seed)")
        #expect(result.problem?.code == "unauthorized", "seed \(seed)")
        #expect(result.waits.allSatisfy { $0 <= 30 }, "seed \(seed)")
    }

    // MARK: - health --watch

    @Test("Watching health continues after failures, and prints only changes")
    func watch() throws {
        func health(_ summary: String) -> JSONValue {
            ["devices": [["deviceId": "anna", "isHealthy": true, "statusSummary": .string(summary)]]]
        }
        let healthy = health("Healthy")
        let missing = health("1 geofence(s) not registered with iOS")
        let script = [
            LoopbackServer.json(healthy), [.close], [.close], LoopbackServer.json(healthy), LoopbackServer.json(missing),
            [.reset],
            LoopbackServer.json(missing), Self.unauthorized,
        ]
        let server = try LoopbackServer { _, number in Self.step(script, number) }
        let result = try InProcessCommand().run(HealthCommand.command, "--watch", "--json", "--server", server.url)
        let summaries = try result.output.map { try JSONParser.parse($0)["statusSummary"]?.string }
        #expect(summaries == ["Healthy", "1 geofence(s) not registered with iOS"])
        let states = try result.errors.map { try JSONParser.parse($0)["connection"]?["state"]?.string }
        #expect(states == ["reconnecting", "connected", "reconnecting", "connected"])
        #expect(result.problem?.code == "unauthorized")
    }

    // MARK: - feed

    private static let positions = """
        {"device":"anna","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4}
        {"device":"anna","timestamp":"2026-05-01T10:10:00Z","latitude":52.6,"longitude":13.4}

        """

    private static func acceptedStep(_ accepted: Int, duplicates: Int = 0) -> [LoopbackServer.Step] {
        LoopbackServer.json([
            "accepted": JSONValue(accepted), "duplicates": JSONValue(duplicates), "late": JSONValue(0), "waiting": JSONValue(0),
            "refused": [], "refusedCount": JSONValue(0), "eventCount": JSONValue(0), "events": [],
        ])
    }

    @Test("Positions without an acknowledgment are sent again, and counted as already stored")
    func feed() throws {
        let busy = LoopbackServer.problem(.rateLimited(retryAfter: 9), "429 Too Many Requests", headers: "Retry-After: 9\r\n")
        let script = [
            busy, Self.acceptedStep(2), [.close], LoopbackServer.last("500 Internal Server Error"), busy,
            Self.acceptedStep(0, duplicates: 2),
        ]
        let server = try LoopbackServer { _, number in Self.step(script, number) }
        let shell = try Shell()
        let files = try ["a", "b"].map { try shell.file("\($0).ndjson", Self.positions) }
        let result = try InProcessCommand().run(FeedCommand.command, files[0], files[1], "--server", server.url)
        #expect(result.status == .done)
        let bodies = server.requests.map { $0.components(separatedBy: "\r\n\r\n")[1] }
        #expect(Set(bodies).count == 1 && bodies.count == 6)
        #expect(result.waits.count == 4 && result.waits[0] == 9 && result.waits[3] == 9, "\(result.waits)")
        #expect(
            result.errors.filter { !$0.hasPrefix("  ") } == [
                "Too many requests. Trying again …", "Connected to \(server.url).", "Connection lost. Reconnecting …",
                "Connected again.",
                "The answer for 2 stored positions was lost. They count as duplicates, and their events are not listed here; "
                    + "'picket events' lists them.",
            ])
        #expect(result.output.last?.hasPrefix("4 positions from 2 files: 2 accepted, 2 duplicates.") == true)
    }

    @Test("A file is abandoned after five failed attempts to reconnect, and the problem is named")
    func feedGivesUp() throws {
        let server = try LoopbackServer { _, number in number == 0 ? Self.acceptedStep(2) : [.close] }
        let shell = try Shell()
        let files = try ["a", "b"].map { try shell.file("\($0).ndjson", Self.positions) }
        let result = try InProcessCommand().run(FeedCommand.command, files[0], files[1], "--server", server.url)
        #expect(result.problem?.code == "noConnection")
        #expect(Self.areWaits(result.waits, [1, 2, 4, 8, 16]), "\(result.waits)")
        #expect(server.requests.count == 7)
        #expect(result.errors.filter { !$0.hasPrefix("  ") } == ["Connection lost. Reconnecting …"])
        #expect(result.output.last?.hasPrefix("2 positions from 2 files: 2 accepted.") == true)
    }

    @Test("A pipe that was fed once is never abandoned")
    func feedPipe() throws {
        let server = try LoopbackServer { _, number in [0, 60].contains(number) ? Self.acceptedStep(1) : [.reset] }
        let shell = try Shell()
        let pipe = shell.directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // Each line is sent in its own request: the second is written when the first was answered.
        let lines = Self.positions.split(separator: "\n").map { $0 + "\n" }
        let writer = Thread {
            let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
            defer { close(descriptor) }
            for (number, line) in lines.enumerated() {
                while server.requests.count < number { sched_yield() }
                let bytes = Array(line.utf8)
                _ = Foundation.write(descriptor, bytes, bytes.count)
            }
        }
        writer.start()
        let result = try InProcessCommand().run(FeedCommand.command, pipe, "--server", server.url)
        #expect(result.status == .done)
        #expect(server.requests.count == 61 && result.waits.count == 59)
        #expect(
            result.errors.filter { !$0.hasPrefix("  ") } == [
                "Connection lost. Reconnecting …", "Sending paused. Reconnecting in background.", "Connected again.",
            ])
    }

    @Test("A feed fails at once when no service ever answered")
    func feedNobody() throws {
        let port = try FreePort.find()
        let shell = try Shell()
        let file = try shell.file("a.ndjson", Self.positions)
        let result = try InProcessCommand().run(FeedCommand.command, file, "--server", "http://127.0.0.1:\(port)")
        #expect(result.problem?.code == "noConnection" && result.waits.isEmpty && result.errors.isEmpty)
    }

    // MARK: - A real service

    /// Starts a service on a given port.
    private func serve(_ shell: Shell, port: Int) throws -> Program.Running {
        let service = try shell.picket.start(
            ["serve", "--listen", "127.0.0.1:\(port)", "--json", "--log-level", "error", "--auto-repair-interval", "0"])
        _ = try #require(service.nextLine())
        return service
    }

    @Test("Following and feeding continue across a crash of the service")
    func crash() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        let port = try FreePort.find()
        let remote = ["--server", "http://127.0.0.1:\(port)"]
        let first = try serve(shell, port: port)
        let elsewhere = try Shell()
        let follower = try elsewhere.picket.start(["events", "--follow", "--json"] + remote)
        defer { follower.kill() }
        let watcher = try elsewhere.picket.start(["health", "--watch", "--json"] + remote)
        defer { watcher.kill() }
        let pipe = shell.directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let feed = try elsewhere.picket.start(["feed", pipe, "--policy", "exact", "--json"] + remote)
        defer { feed.kill() }
        let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
        let lines = Self.positions.split(separator: "\n").map { Array(($0 + "\n").utf8) }
        func type(_ line: String?) throws -> String? { try JSONParser.parse(try #require(line))["type"]?.string }

        #expect(Foundation.write(descriptor, lines[0], lines[0].count) == lines[0].count)
        #expect(try type(feed.nextLine()) == "enter")
        #expect(try type(follower.nextLine()) == "enter")
        first.kill()
        #expect(Foundation.write(descriptor, lines[1], lines[1].count) == lines[1].count)
        // All have noticed that the service is gone.
        for running in [follower, feed, watcher] {
            #expect(try JSONParser.parse(try #require(running.nextErrorLine()))["connection"]?["state"]?.string == "reconnecting")
        }
        let second = try serve(shell, port: port)
        defer { second.kill() }
        #expect(try type(feed.nextLine()) == "exit")
        #expect(try type(follower.nextLine()) == "exit")
        close(descriptor)
        let summary = try JSONParser.parse(try #require(feed.nextLine()))["summary"]
        #expect(summary?["accepted"]?.double == 2)
        feed.process.waitUntilExit()
        #expect(feed.process.terminationStatus == 0)
    }

    @Test(
        "Following a directory continues without a service, with one, and with a restarted one that has another port and another token"
    )
    func followedDirectory() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        try shell.picket.run("token", "create", "me", "--role", "admin")
        let follower = try shell.picket.start(["events", "--follow", "--json"])
        defer { follower.kill() }
        func move(_ minute: Int, to latitude: Double) throws -> String? {
            let line = #"{"device":"anna","timestamp":"2026-05-01T10:0\#(minute):00Z","latitude":\#(latitude),"longitude":13.4}"#
            #expect(try shell.picket.run("feed", shell.file("\(minute).ndjson", line), "--policy", "exact").status == 0)
            return try JSONParser.parse(try #require(follower.nextLine()))["type"]?.string
        }
        #expect(try move(0, to: 52.5) == "enter")
        let first = try serve(shell, port: try FreePort.find())
        #expect(try move(1, to: 52.6) == "exit")
        first.kill()
        #expect(try move(2, to: 52.5) == "enter")
        let second = try serve(shell, port: try FreePort.find())
        defer { second.kill() }
        #expect(try move(3, to: 52.6) == "exit")
    }

    @Test("Feeding continues with a restarted service of the same directory, at another port and with another token")
    func restarted() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        let first = try serve(shell, port: try FreePort.find())
        let pipe = shell.directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let feed = try shell.picket.start(["feed", pipe, "--policy", "exact", "--json"])
        defer { feed.kill() }
        let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
        let lines = Self.positions.split(separator: "\n").map { Array(($0 + "\n").utf8) }
        #expect(Foundation.write(descriptor, lines[0], lines[0].count) == lines[0].count)
        #expect(feed.nextLine()?.contains("\"enter\"") == true)
        first.kill()
        let second = try serve(shell, port: try FreePort.find())
        defer { second.kill() }
        #expect(Foundation.write(descriptor, lines[1], lines[1].count) == lines[1].count)
        #expect(feed.nextLine()?.contains("\"exit\"") == true)
        close(descriptor)
        feed.process.waitUntilExit()
        #expect(feed.process.terminationStatus == 0)
    }
}
