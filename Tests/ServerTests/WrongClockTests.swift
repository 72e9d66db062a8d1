import Foundation
import Model
import Places
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Server

/// The clocks of a machine that a test sets.
private final class SetClocks: MachineClocks {
    private struct State {
        var wallTime: Instant
        var uptime: Int64 = 100_000
        var isSynchronized = false
        var boot = "first"
    }

    private let state: Mutex<State>

    init(_ time: Instant) { state = Mutex(State(wallTime: time)) }

    func wallTime() -> Instant { state.withLock { $0.wallTime } }
    func uptime() -> Int64 { state.withLock { $0.uptime } }
    func isSynchronized() -> Bool { state.withLock { $0.isSynchronized } }
    func boot() -> String { state.withLock { $0.boot } }

    /// Sets the clock of the machine.
    func set(by seconds: Double) { state.withLock { $0.wallTime = $0.wallTime + seconds } }

    func synchronize() { state.withLock { $0.isSynchronized = true } }

    /// Starts the machine again.
    func restart() {
        state.withLock {
            $0.boot += "'"
            $0.uptime = 50_000
        }
    }

    /// Lets time pass.
    func wait(_ seconds: Double) {
        state.withLock {
            $0.wallTime = $0.wallTime + seconds
            $0.uptime += Int64(seconds * 1000)
        }
    }
}

@Suite("Wrong clocks of the machine", .timeLimit(.minutes(60)))
struct WrongClockTests {
    private static let noon = Instant("2026-11-20T12:00:00Z")!
    private static let day = 86_400.0

    /// A service whose clock is wrong by a few seconds at first.
    private static func make(
        error: Double = 0, flags: [String: String] = [:], prepare: (DataDirectory, TestClock) throws -> Void = { _, _ in }
    ) throws -> (SetClocks, ServerBench) {
        let clocks = SetClocks(noon + error)
        return (clocks, try ServerBench(flags: flags, clocks: clocks, prepare: prepare))
    }

    /// A service with the data of another one, which ends.
    private static func restart(
        _ bench: ServerBench, _ clocks: SetClocks, flags: [String: String] = [:]
    ) throws -> ServerBench {
        bench.stop()
        return try ServerBench(flags: flags, clocks: clocks) { data, _ in
            try FileManager.default.copyItem(atPath: bench.data.path, toPath: data.path)
        }
    }

    private func problem(_ bench: ServerBench) async throws -> JSONValue? {
        try await bench.json("/v1/problems")["problems"]?.array?.first { $0["source"]?.string == "job/clock" }
    }

    private func fixes(_ device: String, _ bench: ServerBench) async throws -> Int {
        let answer = try await bench.ask("GET", "/v1/devices/\(device)/track")
        return try answer.status == 404 ? 0 : answer.json()["fixes"]?.array?.count ?? 0
    }

    private func events(_ type: String, _ bench: ServerBench) async throws -> [JSONValue] {
        try await bench.json("/v1/events?type=\(type)&limit=1000")["events"]?.array ?? []
    }

    /// Sends a position of the time of the machine, or of another one.
    @discardableResult
    private func report(
        _ device: String, _ clocks: SetClocks, _ bench: ServerBench, at time: Instant? = nil, latitude: Double = 52
    ) async throws -> Int {
        let seconds = (time ?? clocks.wallTime()).milliseconds / 1000
        let target = "/osmand?id=\(device)&lat=\(latitude)&lon=13&accuracy=5&timestamp=\(seconds)"
        return try await bench.ask("GET", target).status
    }

    /// Current reports by each kind of app, and the device that each belongs to.
    private static let reports: [(target: String, body: String?, device: String)] = {
        let seconds = noon.milliseconds / 1000
        let location = #"{"_type":"location","lat":52,"lon":13,"acc":5,"tst":\#(seconds)}"#
        let overland =
            #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13,52]},"properties":{"#
            + #""timestamp":"\#(noon)","device_id":"lea"}}]}"#
        return [
            ("/osmand?id=phone&lat=52&lon=13&timestamp=\(seconds)", nil, "phone"),
            ("/owntracks?u=jane&d=phone", location, "jane%2Fphone"),
            (
                "/owntracks?u=jane&d=tablet", #"[\#(location),{"_type":"transition","event":"enter","desc":"a","tst":1}]"#,
                "jane%2Ftablet"
            ),
            (
                "/osmand", #"{"device_id":"trc9","location":{"timestamp":"\#(noon)","coords":{"latitude":52,"longitude":13}}}"#,
                "trc9"
            ),
            ("/osmand", overland, "lea"),
            ("/v1/positions", overland, "lea"),
            ("/v1/positions", #"{"device":"own","timestamp":"\#(noon)","latitude":52,"longitude":13}"#, "own"),
            ("/v1/positions", "device,time,lat,lon\nfile,\(noon),52,13\nfile,2026-11-19T12:00:00Z,52,13\n", "file"),
        ]
    }()

    @Test(
        "Positions ahead of a clock that is behind are answered so that the app keeps them, and stored when the clock is right",
        arguments: [700, 3600, 20 * 365 * day], reports.indices)
    func behind(seconds: Double, index: Int) async throws {
        let (clocks, bench) = try Self.make(error: -seconds)
        let (target, body, device) = Self.reports[index]
        func send() async throws -> TestAnswer {
            let type = body?.hasPrefix("device,") == true ? "text/csv" : "application/json"
            return try await bench.ask(body == nil ? "GET" : "POST", target, body: body, type: type)
        }
        for _ in 0..<2 {
            let answer = try await send()
            #expect(answer.status == 503 && answer["Retry-After"] == "10", "\(answer.text)")
            #expect(try answer.json()["code"]?.string == "clockImplausible")
        }
        #expect(try await fixes(device, bench) == 0)
        let problem = try #require(try await problem(bench)?["problem"])
        #expect(problem["code"]?.string == "clockImplausible")
        #expect(problem["message"]?.string?.contains("ahead of it, and no other device confirms it") == true)
        let doctor = try await bench.ask("GET", "/v1/doctor").text
        #expect(doctor.contains("clockImplausible"), "\(doctor)")

        clocks.set(by: seconds)
        let answer = try await send()
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await fixes(device, bench) == (device == "file" ? 2 : 1))
        try await bench.tick()
        #expect(try await self.problem(bench) == nil)
    }

    @Test("An alarm is recorded at once, although its position is ahead of the clock")
    func alarm() async throws {
        let (clocks, bench) = try Self.make(error: -3600)
        let target = "/osmand?id=mia&lat=52&lon=13&timestamp=\(Self.noon.milliseconds / 1000)&alarm=sos"
        #expect(try await bench.ask("GET", target).status == 503)
        #expect(try await bench.json("/v1/alarms")["alarms"]?.array?.count == 1)
        clocks.set(by: 3600)
        #expect(try await bench.ask("GET", target).status == 200)
        #expect(try await fixes("mia", bench) == 1)
    }

    @Test("On a machine that is not synchronized, a device that reports now confirms the clock, and one that is ahead is refused")
    func notSynchronized() async throws {
        let (clocks, bench) = try Self.make()
        let ahead = Self.noon + 730 * Self.day
        #expect(try await report("bad", clocks, bench, at: ahead) == 503)
        #expect(try await problem(bench) != nil)
        for _ in 0..<3 {
            #expect(try await report("good", clocks, bench) == 200)
            clocks.wait(10)
        }
        #expect(try await report("bad", clocks, bench, at: ahead) == 200)
        #expect(try await fixes("bad", bench) == 0)
        let body = #"{"device":"bad","timestamp":"\#(ahead)","latitude":52,"longitude":13}"#
        #expect(try await bench.ask("POST", "/v1/positions", body: body).status == 422)
        try await bench.tick()
        #expect(try await problem(bench) == nil)
        #expect(try await bench.json("/v1/problems").column("problems", "source") == ["intake/bad"])
    }

    @Test("A clock that is suddenly ahead deletes no positions, makes no device silent, and ends no token and no session")
    func jump() async throws {
        let keeping = 90 * Self.day
        let (clocks, bench) = try Self.make(flags: ["keep-positions": "90d"])
        for device in ["a", "b"] {
            for minute in 0..<10 { try await report(device, clocks, bench, at: Self.noon + (Double(minute) * 60 - 36_000)) }
        }
        func token(_ body: String, by admin: [String: String] = [:]) async throws -> String {
            try #require(try await bench.ask("POST", "/v1/tokens", body: body, headers: admin).json()["secret"]?.string)
        }
        let admin = try await token(#"{"name":"a","role":"admin"}"#)
        let headers = ["Authorization": "Bearer \(admin)"]
        let reader = try await token(#"{"name":"r","role":"reader","expiresIn":7776000}"#, by: headers)
        let signIn = try await bench.ask(
            "POST", "/v1/session", body: #"{"token":"\#(admin)"}"#, headers: ["X-Picket-Page": "1"])
        let cookie = ["Cookie": String(try #require(signIn["Set-Cookie"]).prefix { $0 != ";" })]

        func statuses() async throws -> [Int] {
            var all: [Int] = []
            for each in [["Authorization": "Bearer \(reader)"], cookie] {
                all.append(try await bench.ask("GET", "/v1/status", headers: each).status)
            }
            return all
        }
        func stored() async throws -> Int {
            var all = 0
            for device in ["a", "b", "c"] {
                let answer = try await bench.ask("GET", "/v1/devices/\(device)/track", headers: headers)
                all += try answer.json()["fixes"]?.array?.count ?? 0
            }
            return all
        }
        func silences() async throws -> [String] {
            let all = try await bench.json("/v1/events?type=silent", headers: headers)
            return (all["events"]?.array ?? []).compactMap { $0["recordedAt"]?.string }
        }
        func problems() async throws -> [String] {
            try await bench.json("/v1/problems", headers: headers).column("problems", "source")
        }

        clocks.set(by: 400 * Self.day)
        for _ in 0..<3 {
            try await bench.tick(keepPositions: keeping)
            clocks.wait(5)
        }
        #expect(try await stored() == 20)
        #expect(try await silences().isEmpty)
        #expect(try await statuses() == [200, 200])
        #expect(try await problems() == ["job/clock"])
        let body = #"{"device":"c","timestamp":"\#(Self.noon + 10)","latitude":52,"longitude":13}"#
        #expect(try await bench.ask("POST", "/v1/positions", body: body, headers: headers).json()["accepted"]?.double == 1)

        clocks.set(by: -400 * Self.day)
        try await bench.tick(keepPositions: keeping)
        #expect(try await stored() == 21)
        #expect(try await problems().isEmpty)

        // Everything that waited runs.
        clocks.wait(91 * Self.day)
        for _ in 0..<20 where try await stored() > 0 { try await bench.tick(keepPositions: keeping) }
        #expect(try await stored() == 0)
        #expect(try await statuses() == [401, 401])
        let recorded = try await silences()
        #expect(recorded.count == 3 && recorded.allSatisfy { $0.hasPrefix("2027-02-19") }, "\(recorded)")
    }

    @Test(
        "A restart while the clock is ahead deletes no positions and makes no device silent, with and without a start of the machine",
        arguments: [true, false])
    func restart(ofMachine: Bool) async throws {
        let keeping = 90 * Self.day
        let (clocks, bench) = try Self.make()
        try await bench.ask("PUT", "/v1/devices/van", body: #"{"silentAfter":3600}"#)
        for minute in 0..<10 { try await report("van", clocks, bench, at: Self.noon + (Double(minute) * 60 - 36_000)) }
        try await report("van", clocks, bench)
        try await bench.tick(keepPositions: keeping)
        // The device was silent for some hours, between its positions.
        let silences = try await events("silent", bench).count
        clocks.set(by: 400 * Self.day)
        if ofMachine { clocks.restart() }
        // Two starts: a time that the first one recorded by the wrong clock must not become the newest trusted time.
        var second = try Self.restart(bench, clocks)
        for _ in 0..<2 {
            for _ in 0..<3 {
                try await second.tick(keepPositions: keeping)
                clocks.wait(5)
            }
            #expect(try await fixes("van", second) == 11)
            #expect(try await events("silent", second).count == silences)
            #expect(try await problem(second)?["problem"]?["code"]?.string == "clockImplausible")
            second = try Self.restart(second, clocks)
        }
        clocks.set(by: -400 * Self.day)
        for _ in 0..<3 {
            try await second.tick(keepPositions: keeping)
            try await report("van", clocks, second)
            clocks.wait(10)
        }
        try await second.tick(keepPositions: keeping)
        #expect(try await fixes("van", second) == 14)
        #expect(try await problem(second) == nil)
        // What waited runs.
        clocks.wait(91 * Self.day)
        for _ in 0..<20 where try await fixes("van", second) > 0 { try await second.tick(keepPositions: keeping) }
        #expect(try await fixes("van", second) == 0)
    }

    @Test("When a device confirms a clock that was corrected, its positions are stored, and no device becomes silent by that")
    func setRight() async throws {
        let (clocks, bench) = try Self.make(error: -7200)
        try await bench.ask("PUT", "/v1/devices/van", body: #"{"silentAfter":3600}"#)
        try await report("van", clocks, bench)
        clocks.set(by: 7200)
        let time = Self.noon
        // The app repeats the position. It confirms the clock, and is accepted the next time.
        for _ in 0..<3 {
            #expect(try await report("phone", clocks, bench, at: time) == 503)
            clocks.wait(30)
        }
        #expect(try await report("phone", clocks, bench, at: time) == 200)
        try await bench.tick()
        #expect(try await problem(bench) == nil)
        #expect(try await events("silent", bench).isEmpty)
        clocks.wait(3700)
        try await report("phone", clocks, bench)
        try await bench.tick()
        #expect(try await events("silent", bench).count == 1)
    }

    @Test("A clock that is set by a time server is followed at once")
    func setByServer() async throws {
        let (clocks, bench) = try Self.make(error: -3600)
        #expect(try await report("phone", clocks, bench, at: Self.noon) == 503)
        clocks.synchronize()
        clocks.set(by: 3600)
        #expect(try await report("phone", clocks, bench, at: Self.noon) == 200)
        #expect(try await report("phone", clocks, bench, at: Self.noon + 3600) == 200)
        #expect(try await fixes("phone", bench) == 1)
    }

    @Test("Deadlines wait for a clock that can be relied on")
    func deadlines() async throws {
        let (clocks, bench) = try Self.make()
        try await bench.add("home", 52, 13, #","dwell":600"#)
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"policy":"exact"}"#)
        try await report("anna", clocks, bench, at: Self.noon + -300, latitude: 52.1)
        try await report("anna", clocks, bench, at: Self.noon + -200)
        #expect(try await events("enter", bench).count == 1)
        #expect(try await report("bad", clocks, bench, at: Self.noon + 730 * Self.day) == 503)
        clocks.wait(3600)
        try await bench.tick()
        #expect(try await events("dwell", bench).isEmpty)
        clocks.synchronize()
        try await bench.tick()
        #expect(try await events("dwell", bench).count == 1)
        #expect(try await problem(bench) == nil)
    }

    @Test("A clock before the newest data in the store is a problem from the start")
    func beforeData() async throws {
        let (clocks, bench) = try Self.make(error: -3600) { data, _ in
            let clock = TestClock()
            let service = try ServiceWriter(data, purpose: "test", clock: clock)
            try service.record(.noConnection(peer: "x", details: ""), source: "test/x")
        }
        try await bench.tick()
        let message = try await problem(bench)?["problem"]?["message"]?.string
        #expect(message?.contains("the time of the newest data in the store") == true, "\(message ?? "")")
        clocks.set(by: 3600)
        try await bench.tick()
        #expect(try await problem(bench) == nil)
    }

    @Test("While the clock is doubted, no scheduled backup is made")
    func backups() async throws {
        let folder = try TemporaryDirectory()
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        let (clocks, first) = try Self.make()
        #expect(try await report("anna", clocks, first) == 200)
        try await first.tick()
        clocks.set(by: 400 * Self.day)
        let bench = try Self.restart(first, clocks, flags: ["backup-to": folder.path])
        let scheduled = bench.server.api.scheduledBackups
        try await bench.tick()
        scheduled.tick()
        #expect(bench.server.api.store.clock.problem != nil)
        #expect(try !scheduled.isRunning.load(ordering: .acquiring) && files().isEmpty)
        clocks.set(by: -400 * Self.day)
        try await bench.tick()
        #expect(try await report("anna", clocks, bench) == 200)
        repeat {
            try await bench.server.api.store.writer.perform { _ in }
            scheduled.tick()
            while scheduled.isRunning.load(ordering: .acquiring) { await Task.yield() }
        } while try files().isEmpty
        #expect(try files() == ["picket-2026-11-20T120000Z.backup"])
    }
}
