import Core
import Delivery
import Foundation
import Geodesy
import History
import Model
import Places
import SQLite
import Secrets
import Senders
import ServiceTestSupport
import TestSupport
import Testing

@testable import Notifications
@testable import Store

@Suite("Delivery to sinks")
struct DeliveryTests {
    /// The ids of the events that an endpoint has received, in order.
    private func sent(_ endpoint: ScriptedEndpoint) -> [String] { endpoint.requests.compactMap { $0.headers["idempotency-key"] } }

    /// The types of a device's events, in the order of their first arrival.
    private func story(_ endpoint: ScriptedEndpoint, of device: String) throws -> [String] {
        var seen: Set<String> = []
        return try endpoint.requests.compactMap { request in
            let json = try JSONParser.parse(request.body)
            guard json["deviceId"]?.string == device, seen.insert(json["id"]?.string ?? "").inserted else { return nil }
            return json["type"]?.string
        }
    }

    @Test("Each event after the creation of a sink is sent once, signed, in order per device")
    func order() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        try bench.visits(1)
        try bench.webhook(endpoint, ["id": "hook", "signingSecret": "geheim"])
        try bench.visits(20, devices: ["mia", "tom", "eva"])
        let ids = Array(try bench.eventIDs().dropFirst(2))
        #expect(ids.count == 120)
        #expect(endpoint.wait(for: 120))
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.delivered == 120 })
        #expect(sent(endpoint).sorted() == ids.sorted())
        for device in ["mia", "tom", "eva"] {
            #expect(try story(endpoint, of: device) == (0..<40).map { $0 % 2 == 0 ? "enter" : "exit" })
        }
        for request in endpoint.requests {
            let parts = (request.headers["picket-signature"] ?? "").split(separator: ",").map(String.init)
            let time = parts[0].dropFirst(2)
            #expect(time == "\(bench.clock.now().milliseconds / 1000)")
            #expect(parts[1] == "v1=" + MessageSignature.hexadecimal(of: "\(time).\(request.body)", secret: "geheim"))
        }
        bench.stop()
        #expect(try bench.stored("hook").cursor == 122 && bench.stored("hook").delivered == 120)
    }

    @Test("After a restart, delivery continues where it stopped, and sends nothing twice that arrived before")
    func restart() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(5)
        #expect(endpoint.wait(for: 10))
        #expect(bench.wait("hook") { $0.delivered == 10 })
        bench.stop()
        // Edits the store, like a command while no service runs.
        try {
            let service = try ServiceWriter(bench.data, purpose: "test", clock: bench.clock)
            try service.apply([.remove(id: "home")])
        }()
        try bench.restart()
        #expect(bench.wait("hook") { $0.waiting == 0 })
        #expect(sent(endpoint).count == 10)
    }

    @Test("A failing endpoint is retried with growing waits, an hour of errors loses nothing, and each state is reported")
    func hour() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(500, body: "out of order") }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(3, devices: ["mia", "tom"])
        #expect(bench.wait("hook") { $0.connection.state == .reconnecting(attempt: 1, maxAttempts: 5) })
        let start = bench.clock.now()
        var attempt = 1
        while bench.clock.now() - start < 3600 {
            let status = try #require(bench.delivery.statuses["hook"]).connection
            #expect(status.problem == .serverError(status: 500, details: "out of order"))
            #expect(
                status.state == (attempt <= 5 ? .reconnecting(attempt: attempt, maxAttempts: 5) : .degraded(attempt: attempt)))
            let due = try #require(status.nextAttemptAt)
            let wait = due - bench.clock.now()
            let full = attempt <= 5 ? Double(1 << (attempt - 1)) : 30
            #expect(wait <= full && wait >= full * 0.75 - 0.001, "attempt \(attempt): \(wait)")
            let before = endpoint.requests.count
            bench.advance(wait)
            attempt += 1
            #expect(endpoint.wait(for: before + 1))
            #expect(bench.wait("hook") { $0.connection.state.attempt == attempt && $0.connection.nextAttemptAt != nil })
        }
        #expect(attempt > 120)
        #expect(try bench.problems()["sink/hook"]?.code == "deliveryDegraded")
        endpoint.script { _, _ in .answer(204) }
        bench.advance(30)
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.connection.state == .connected })
        #expect(Set(sent(endpoint)) == Set(try bench.eventIDs()))
        for device in ["mia", "tom"] {
            #expect(try story(endpoint, of: device) == ["enter", "exit", "enter", "exit", "enter", "exit"])
        }
        try bench.restart()
        #expect(try bench.problems().isEmpty)
        #expect(bench.changes.all.last?.status.state == .connected)
    }

    @Test("A failure that cannot be recorded is kept, and recorded when the store can be written again")
    func unwritableJournal() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(500) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.edit { service throws(Problem) in
            try service.store.attempt { () throws(SQLiteError) in
                try service.store.connection.execute(
                    "CREATE TRIGGER fault BEFORE INSERT ON problem BEGIN SELECT RAISE(FAIL, 'a fault'); END")
            }
        }
        let start = ContinuousClock.now
        try bench.visits(1)
        #expect(bench.failures.wait { bench.failures.all.count >= 3 })
        let attempts = bench.failures.all.count
        #expect(ContinuousClock.now - start >= .milliseconds(250) * (attempts - 1), "there is a pause after each attempt")
        #expect(try bench.problems().isEmpty)
        try bench.edit { service throws(Problem) in
            try service.store.attempt { () throws(SQLiteError) in try service.store.connection.execute("DROP TRIGGER fault") }
        }
        #expect(try bench.waitForProblem("sink/hook") == "sinkUnreachable")
        #expect(endpoint.requests.count == 1, "the failure was recorded without another one")
    }

    @Test(
        "Refusals, resets, timeouts and broken responses count as failures",
        arguments: [
            ScriptedEndpoint.Step.close, .reset, .hang, .stalled(500), .endless(503), .answer(503), .answer(408), .answer(302),
        ])
    func faults(step: ScriptedEndpoint.Step) throws {
        var options = TransferLoop.Options.patient
        // Only a peer that never answers needs a short timeout. With others, an answer may take long on a busy machine.
        if case .hang = step { options.timeout = 2 }
        options.bodyTimeout = 0.2
        let bench = try DeliveryBench(options)
        let endpoint = try ScriptedEndpoint { _, number in number == 0 ? step : .answer(200) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(2)
        #expect(bench.wait("hook") { $0.connection.state == .reconnecting(attempt: 1, maxAttempts: 5) })
        #expect(try bench.waitForProblem("sink/hook") == "sinkUnreachable")
        bench.advance(1)
        // On a busy machine an answer may take longer than the silence limit; then the event is sent again.
        while !bench.wait("hook", seconds: 10, until: { $0.waiting == 0 && $0.connection.state == .connected }) {
            bench.advance(60)
        }
        #expect(try story(endpoint, of: "mia") == ["enter", "exit", "enter", "exit"])
    }

    @Test(
        "After a successful response head, an endless or missing body does not matter",
        arguments: [
            ScriptedEndpoint.Step.endless(200), .stalled(200),
        ])
    func tails(step: ScriptedEndpoint.Step) throws {
        var options = TransferLoop.Options.patient
        options.bodyTimeout = 0.2
        let bench = try DeliveryBench(options)
        let endpoint = try ScriptedEndpoint { _, _ in step }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.delivered == 2 && $0.connection.state == .connected })
        #expect(sent(endpoint) == (try bench.eventIDs()))
    }

    @Test("An unreachable endpoint is retried, and its recovery wakes other waiting sinks")
    func recovery() throws {
        let bench = try DeliveryBench()
        let (one, two) = (try ScriptedEndpoint(), try ScriptedEndpoint())
        one.stop()
        two.stop()
        try bench.webhook(one, ["id": "one"])
        try bench.webhook(two, ["id": "two"])
        try bench.visits(1)
        for id in ["one", "two"] {
            for attempt in 1...4 {
                #expect(bench.wait(id) { ($0.connection.state.attempt ?? 0) >= attempt })
                if attempt < 4 { bench.advance(Double(1 << (attempt - 1))) }
            }
        }
        try one.start()
        try two.start()
        // Whichever is due first succeeds; the other follows at once or after the shortest delay, not after its own of up to 30 s.
        bench.advance(16)
        #expect(bench.wait("one") { $0.delivered == 2 } || bench.wait("two") { $0.delivered == 2 })
        bench.advance(1)
        #expect(bench.wait("one") { $0.delivered == 2 } && bench.wait("two") { $0.delivered == 2 })
    }

    @Test("The return of the network ends a wait, and does not count as a failure")
    func network() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in number < 6 ? .answer(500) : .answer(200) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        for attempt in 1...6 {
            #expect(bench.wait("hook") { $0.connection.state.attempt == attempt && $0.connection.nextAttemptAt != nil })
            if attempt < 6 { bench.advance(30) }
        }
        #expect(bench.delivery.statuses["hook"]?.connection.state == .degraded(attempt: 6))
        bench.advance(10)
        bench.inbox.networkReturned()
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.delivered == 2 && $0.connection.state == .connected })
        #expect(endpoint.requests.count == 8)
        #expect(
            bench.changes.all.suffix(2).map(\.status.state) == [.reconnecting(attempt: 1, maxAttempts: 5), .connected])
        try bench.restart()
        #expect(try bench.problems().isEmpty)
    }

    @Test("A wait that ends early is not recorded as another failure")
    func early() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(500) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.connection.state.attempt == 1 && $0.connection.nextAttemptAt != nil })
        bench.advance(1)
        #expect(bench.wait("hook") { $0.connection.state.attempt == 2 && $0.connection.nextAttemptAt != nil })
        // Within the shortest delay no attempt is made.
        for _ in 0..<5 { bench.inbox.networkReturned() }
        #expect(bench.wait("hook") { $0.connection.state.attempt == 1 })
        bench.stop()
        #expect(try bench.problems()["sink/hook"]?.failures == 2 && endpoint.requests.count == 2)
    }

    @Test("Retry-After is obeyed, however often the clock is checked")
    func retryAfter() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in
            number == 0 ? .answer(429, headers: ["Retry-After: 120"]) : .answer(200)
        }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.connection.problem == .rateLimited(retryAfter: 120) })
        let due = try #require(bench.delivery.statuses["hook"]?.connection.nextAttemptAt)
        #expect(due == bench.clock.now() + 120)
        bench.advance(119.9)
        bench.inbox.networkReturned()
        #expect(bench.wait("hook") { $0.connection.nextAttemptAt == due })
        #expect(endpoint.requests.count == 1)
        bench.advance(0.1)
        #expect(bench.wait("hook") { $0.delivered == 2 })
    }

    @Test(
        "One answer that refuses everything, or that is not HTTP, is tried again like any other failure, and no event is skipped",
        arguments: [
            ScriptedEndpoint.Step.answer(401), .answer(403), .answer(404), .answer(407), .answer(410), .text("hello\n"),
            .text("HTTP/1.1 000 x\r\n\r\n"), .endlessHead(line: 1000),
        ])
    func refusedOnce(step: ScriptedEndpoint.Step) throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in number == 1 ? step : .answer(200) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(3)
        #expect(bench.wait("hook") { $0.connection.state == .reconnecting(attempt: 1, maxAttempts: 5) })
        #expect(try bench.waitForProblem("sink/hook") != nil)
        bench.advance(1)
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.connection.state == .connected })
        #expect(try story(endpoint, of: "mia") == ["enter", "exit", "enter", "exit", "enter", "exit"])
        #expect(endpoint.requests.count == 7)
        try bench.restart()
        #expect(try bench.problems().isEmpty)
    }

    /// Lets a sink's attempts fail until it is paused.
    private func waitForPause(_ bench: DeliveryBench, _ id: String) throws {
        let start = bench.clock.now()
        while true {
            #expect(bench.wait(id) { $0.connection.state != .connected && $0.connection.nextAttemptAt != nil })
            let status = try #require(bench.delivery.statuses[id]).connection
            if status.state.name == .paused { break }
            try #require(bench.clock.now() - start < 1000)
            bench.advance(try #require(status.nextAttemptAt) - bench.clock.now())
            #expect(bench.wait(id) { $0.connection.state != status.state })
        }
        #expect(bench.clock.now() - start >= 900)
    }

    @Test(
        "A sink that refuses everything for 15 minutes is paused, even across a restart, until a person resumes it",
        arguments: [401, 404])
    func paused(status: Int) throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in number == 0 ? .answer(200) : .answer(status, body: "who are you?") }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(3)
        try waitForPause(bench, "hook")
        let problem = try #require(bench.delivery.statuses["hook"]?.connection.problem)
        #expect(problem.code == (status == 401 ? "sinkUnauthorized" : "sinkRejected"))
        #expect(try bench.waitForProblem("sink/hook") == problem.code)
        let count = endpoint.requests.count
        try bench.restart()
        #expect(bench.wait("hook") { $0.connection.state == .paused(problem) })
        bench.advance(3000)
        #expect(bench.wait("hook") { $0.connection.state == .paused(problem) })
        #expect(endpoint.requests.count == count)
        endpoint.script { _, _ in .answer(200) }
        try bench.resume("hook")
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.connection.state == .connected })
        #expect(try story(endpoint, of: "mia") == ["enter", "exit", "enter", "exit", "enter", "exit"])
        try bench.restart()
        #expect(try bench.problems().isEmpty && bench.stored("hook").pausedAt == nil)
    }

    @Test("A sink that is paused by refusals is tried each hour, and resumes when it accepts again", arguments: [false, true])
    func probed(isRestarted: Bool) throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(403) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(2)
        try waitForPause(bench, "hook")
        for hour in 0..<3 {
            let count = endpoint.requests.count
            if isRestarted, hour == 0 { try bench.restart() }
            #expect(bench.wait("hook") { $0.connection.state.name == .paused && $0.connection.nextAttemptAt != nil })
            let due = try #require(bench.delivery.statuses["hook"]?.connection.nextAttemptAt)
            bench.advance(due - bench.clock.now())
            #expect(endpoint.wait(for: count + 1))
            #expect(bench.wait("hook") { $0.connection.nextAttemptAt.map { $0 > due } ?? false })
            #expect(endpoint.requests.count == count + 1, "one message is tried")
        }
        endpoint.script { _, _ in .answer(200) }
        bench.advance(3600)
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.delivered == 4 && $0.connection.state == .connected })
        #expect(try story(endpoint, of: "mia") == ["enter", "exit", "enter", "exit"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.delivered == 6 && $0.connection.state == .connected })
        try bench.restart()
        #expect(bench.wait("hook") { $0.connection.state == .connected })
        #expect(try bench.problems().isEmpty && bench.stored("hook").pausedAt == nil)
    }

    @Test("A sink that a person pauses is not tried, even if refusals had paused it before")
    func pausedByPersonAfterRefusals() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(403) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        try waitForPause(bench, "hook")
        #expect(try bench.waitForProblem("sink/hook") != nil)
        let count = endpoint.requests.count
        _ = try bench.edit { service throws(Problem) in try service.pauseSink(id: "hook").sink.id }
        bench.inbox.sinksChanged()
        #expect(bench.wait("hook") { $0.connection.state == .paused(nil) && $0.connection.nextAttemptAt == nil })
        bench.advance(86_400)
        try bench.restart()
        #expect(bench.wait("hook") { $0.connection.state == .paused(nil) })
        #expect(endpoint.requests.count == count)
    }

    @Test("A Retry-After of a day is followed for an hour")
    func longRetryAfter() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in
            number == 0 ? .answer(503, headers: ["Retry-After: 86400"]) : .answer(200)
        }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.connection.nextAttemptAt == bench.clock.now() + 3600 })
        bench.advance(3600)
        #expect(bench.wait("hook") { $0.delivered == 2 })
    }

    @Test("A mail server that never confirms a mail delays neither other sinks nor a stop")
    func hangingMailServer() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        let reached = DispatchSemaphore(value: 0)
        let server = try ScriptedMailServer { line in
            if line == "DATA END" { reached.signal() }
            return line == "DATA END" ? "" : nil
        }
        try bench.add([
            "id": "mail", "kind": "email", "server": .string(server.url), "from": "p@example.com", "to": ["a@example.com"],
            "allowPlain": true,
        ])
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(reached.wait(timeout: .now() + Watchdog.seconds) == .success)
        for _ in 0..<5 { try bench.visits(1) }
        #expect(bench.wait("hook") { $0.delivered == 12 && $0.waiting == 0 })
        #expect(bench.delivery.statuses["mail"]?.delivered == 0)
        let start = ContinuousClock.now
        bench.stop()
        #expect(ContinuousClock.now - start < .seconds(Watchdog.seconds / 10))
        #expect(try bench.stored("mail").cursor == 0, "the mail is sent again after the next start")
    }

    @Test("A stop right after many sinks have failed records each of their problems")
    func manyFail() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        endpoint.stop()
        for number in 0..<100 { try bench.webhook(endpoint, ["id": .string("hook\(number)")]) }
        try bench.visits(1)
        for number in 0..<100 { #expect(bench.wait("hook\(number)") { $0.connection.state.name == .reconnecting }) }
        bench.stop()
        let page = try ServiceReader(bench.data).problems(withDismissed: true, after: nil, limit: 1000)
        #expect(Set(page.items.map(\.source)) == Set((0..<100).map { "sink/hook\($0)" }))
    }

    @Test(
        "What waits of a device is not sent after the device was erased, removed, or lost its positions",
        arguments: ["erase", "remove", "positions"])
    func removedData(how: String) async throws {
        let bench = try DeliveryBench()
        let (events, positions) = (try ScriptedEndpoint(), try ScriptedEndpoint())
        events.stop()
        positions.stop()
        try bench.webhook(events, ["id": "events"])
        try bench.add([
            "id": "positions", "kind": "positions", "format": "picket", "url": .string(positions.url + "/positions"),
        ])
        try bench.visits(3, devices: ["mia", "tom"])
        #expect(bench.wait("events") { $0.connection.state.name == .reconnecting && $0.waiting == 12 })
        #expect(bench.wait("positions") { $0.connection.state.name == .reconnecting && $0.waiting == 18 })
        try bench.edit { service throws(Problem) in
            switch how {
            case "erase": _ = try service.eraseRecords(ofDevice: "mia", rewriting: false)
            case "remove": try service.removeDevice(id: "mia")
            default: _ = try service.removePositions(ofDevice: "mia", since: .earliest)
            }
        }
        await bench.delivery.processAllMessages()
        try events.start()
        try positions.start()
        bench.advance(60)
        #expect(bench.wait("positions") { $0.waiting == 0 && $0.connection.state == .connected })
        #expect(bench.wait("events") { $0.waiting == 0 && $0.connection.state == .connected })
        #expect(!positions.requests.contains { $0.body.contains("\"mia\"") })
        #expect(positions.requests.count { $0.body.contains("\"tom\"") } == 9)
        #expect(events.requests.contains { $0.body.contains("\"mia\"") } == (how != "erase"))
        #expect(try story(events, of: "tom") == ["enter", "exit", "enter", "exit", "enter", "exit"])
    }

    @Test(
        "A message that is being sent when its device is erased is not sent again, and not kept as rejected",
        arguments: [500, 422])
    func erasedWhileSending(status: Int) async throws {
        let bench = try DeliveryBench()
        let (received, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let endpoint = try ScriptedEndpoint { _, number in
            guard number == 0 else { return .answer(200) }
            received.signal()
            go.wait()
            return .answer(status)
        }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(2)
        #expect(received.wait(timeout: .now() + Watchdog.seconds) == .success)
        try bench.edit { service throws(Problem) in _ = try service.eraseRecords(ofDevice: "mia", rewriting: false) }
        await bench.delivery.processAllMessages()
        go.signal()
        #expect(bench.wait("hook") { $0.waiting == 0 })
        bench.advance(60)
        try bench.visits(1, devices: ["tom"])
        #expect(bench.wait("hook") { $0.delivered == 2 && $0.waiting == 0 && $0.rejected == 0 })
        #expect(endpoint.requests.dropFirst().allSatisfy { !$0.body.contains("\"mia\"") })
    }

    @Test("A permanently rejected event is kept, reported, and sent again on request", arguments: [400, 413, 422])
    func rejected(status: Int) throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in number == 1 ? .answer(status, body: "no such field") : .answer(200) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(2)
        #expect(
            bench.wait("hook") { $0.waiting == 0 && $0.rejected == 1 && $0.delivered == 3 && $0.connection.state == .connected })
        try bench.restart()
        let rejected = try ServiceReader(bench.data).rejectedEvents(ofSink: "hook", after: 0, limit: 10).items
        let ids = try bench.eventIDs()
        #expect(
            rejected.map(\.event?.id) == [ids[1]]
                && rejected[0].rejected.problem == .eventRejected(sink: "hook", status: status, details: "no such field"))
        #expect(try bench.problems().keys.sorted() == ["sink/hook/parked"])
        #expect(try bench.edit { service throws(Problem) in try service.resendRejected(ofSink: "hook", sequence: nil) } == 1)
        bench.inbox.sinksChanged()
        #expect(endpoint.wait(for: 5) && sent(endpoint).last == ids[1])
        #expect(bench.wait("hook") { $0.rejected == 0 })
        try bench.restart()
        #expect(try bench.problems().isEmpty && bench.stored("hook").rejected == 0)
    }

    @Test("An event that alone fails repeatedly does not block others, and is rejected in the end")
    func poison() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { request, _ in request.body.contains("\"tom\"") ? .answer(500) : .answer(200) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1, devices: ["tom"])
        func isDone(_ status: SinkStatus?) -> Bool { status?.rejected == 2 && status?.waiting == 0 }
        // The last attempt may have failed; then waiting events are sent when the clock moves.
        for round in 0..<200 where !isDone(bench.delivery.statuses["hook"]) {
            if bench.delivery.statuses["hook"]?.rejected != 2 { try bench.visits(1) }
            #expect(
                bench.wait("hook") { $0.connection.state == .connected || $0.connection.nextAttemptAt != nil }, "round \(round)")
            bench.advance(1)
        }
        #expect(bench.wait("hook", until: isDone))
        let story = try story(endpoint, of: "mia")
        #expect(story == story.indices.map { $0 % 2 == 0 ? "enter" : "exit" } && !story.isEmpty)
    }

    @Test("A sink that hangs or is down does not delay other sinks or incoming positions")
    func isolation() throws {
        let bench = try DeliveryBench()
        let (hung, dead, well) = (try ScriptedEndpoint { _, _ in .hang }, try ScriptedEndpoint(), try ScriptedEndpoint())
        dead.stop()
        try bench.webhook(hung, ["id": "hung"])
        try bench.webhook(dead, ["id": "dead"])
        try bench.webhook(well, ["id": "well"])
        let devices = (0..<30).map { "d\($0)" }
        for _ in 0..<20 { try bench.visits(5, devices: devices) }
        #expect(bench.wait("well") { $0.delivered == 6000 })
        #expect(bench.delivery.statuses["hung"]?.delivered == 0 && bench.delivery.statuses["dead"]?.delivered == 0)
        #expect(Set(sent(well)).count == 6000)
    }

    @Test("The filter at the time of an event decides, and a retraction follows its event")
    func retractions() throws {
        let bench = try DeliveryBench()
        let (all, exits, tom) = (try ScriptedEndpoint(), try ScriptedEndpoint(), try ScriptedEndpoint())
        try bench.webhook(all, ["id": "all"])
        try bench.webhook(exits, ["id": "exits", "filter": ["types": ["exit"]]])
        try bench.webhook(tom, ["id": "tom", "filter": ["devices": ["tom"]]])
        try bench.visits(1)
        #expect(bench.wait("all") { $0.delivered == 2 } && bench.wait("exits") { $0.delivered == 1 })
        // From now on the filter admits nothing. Corrections of events that the sink has received are still sent.
        _ = try bench.edit { service throws(Problem) in
            try service.saveSink(
                ["kind": "webhook", "url": .string(exits.url + "/hook"), "filter": ["types": ["dwell"]]], id: "exits",
                by: .init(isLocal: true, allowsPrivate: true)
            ).sink.id
        }
        bench.inbox.sinksChanged()
        try bench.lateFix(after: 25)
        let events = try bench.events()
        let retracted = events.filter { $0.type == .retracted }.compactMap(\.retracts)
        #expect(!retracted.isEmpty)
        #expect(bench.wait("all") { $0.waiting == 0 && $0.delivered == events.count })
        #expect(bench.wait("exits") { $0.waiting == 0 } && bench.wait("tom") { $0.waiting == 0 })
        let sentEvents = try exits.requests.map { try JSONParser.parse($0.body) }
        let wentThere = Set(sentEvents.filter { $0["type"] == "exit" }.compactMap { $0["id"]?.string })
        #expect(!wentThere.isDisjoint(with: retracted))
        #expect(
            sentEvents.filter { $0["type"] == "retracted" }.compactMap { $0["retracts"]?.string }
                == retracted.filter(wentThere.contains))
        #expect(tom.requests.isEmpty)
    }

    @Test("Sinks get retractions of what they were sent and the new events, none of which is urgent")
    func correctedPast() throws {
        let bench = try DeliveryBench()
        let (first, second) = (try ScriptedEndpoint(), try ScriptedEndpoint())
        try bench.webhook(first, ["id": "first"])
        try bench.visits(2)
        #expect(first.wait(for: 4))
        try bench.webhook(second, ["id": "second", "filter": ["types": ["enter"]]])
        // The geofence is moved to where the device was before and after each visit.
        bench.clock.set(bench.clock.now() + 400 * 86_400)
        try bench.edit { service throws(Problem) in
            let place = Coordinate(latitude: DeliveryBench.home.latitude + 500 / 111_000, longitude: DeliveryBench.home.longitude)
            let moved = Circle(center: place, radius: 100)
            try service.apply([.save(Geofence(id: "home", name: "Home", shape: .circle(moved)))])
            _ = try service.correctPast(PastCorrection(geofences: ["home"]))
        }
        let events = try bench.events()
        let new = events.filter { $0.cause == .corrected && $0.type != .retracted }
        #expect(new.map(\.type) == [.enter, .exit, .enter, .exit, .enter])
        // The second sink takes only enters, beginning with the one that the edit caused. That one is retracted.
        let enters = events.filter { $0.type == .enter && $0.sequence > 4 }
        let expected = events.filter { event in
            enters.contains { $0.id == event.id || $0.id == event.retracts }
        }
        #expect(enters.count == 4 && expected.count == 5)
        #expect(first.wait(for: events.count) && second.wait(for: expected.count))
        #expect(bench.wait("first") { $0.waiting == 0 } && bench.wait("second") { $0.waiting == 0 })
        func bodies(_ endpoint: ScriptedEndpoint) throws -> [JSONValue] {
            try endpoint.requests.map { try JSONParser.parse($0.body) }
        }
        func ids(_ bodies: [JSONValue]) -> [String] { bodies.compactMap { $0["id"]?.string } }
        let (sent, others) = (try bodies(first), try bodies(second))
        #expect(ids(sent) == events.map(\.id))
        #expect(ids(others) == expected.map(\.id))
        #expect((sent + others).allSatisfy { $0["urgency"] == nil })
    }

    @Test("A missed event is sent like any other event, and retracted where it was sent")
    func missed() throws {
        let bench = try DeliveryBench()
        let (rules, enters) = (try ScriptedEndpoint(), try ScriptedEndpoint())
        try bench.webhook(rules, ["id": "rules", "filter": ["types": ["missed"]]])
        try bench.webhook(enters, ["id": "enters", "filter": ["types": ["enter"]]])
        // The device is inside and leaves twenty seconds after the start; then a late position shows that it left earlier.
        try bench.edit { service throws(Problem) in
            try service.save(Device(id: "mia"))
            _ = try service.createRule(
                ["deviceId": "mia", "geofenceId": "home", "kind": "staysAtMost", "duration": .number("60"), "id": "r"])
        }
        try bench.stay(120)
        #expect(bench.wait("rules") { $0.delivered == 1 } && bench.wait("enters") { $0.delivered == 1 })
        try bench.lateFix(after: 45)
        #expect(bench.wait("rules") { $0.delivered == 2 })
        let sentEvents = try rules.requests.map { try JSONParser.parse($0.body) }
        #expect(
            sentEvents.map { $0["type"]?.string } == ["missed", "retracted"] && sentEvents[1]["retracts"] == sentEvents[0]["id"])
        #expect(
            sentEvents[0]["rule"]?["kind"] == "staysAtMost" && sentEvents[0]["urgency"] == "warning"
                && sentEvents[1]["rule"]?["id"] == "r")
        #expect(bench.wait("enters") { $0.waiting == 0 })
        #expect(try enters.requests.allSatisfy { try JSONParser.parse($0.body)["type"] == "enter" })
    }

    @Test("A retraction of a rejected event is not sent, and neither is the event")
    func retractionOfRejected() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in number < 2 ? .answer(422) : .answer(200) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.rejected == 2 && $0.waiting == 0 })
        // A restart keeps the state of the delivery.
        try bench.restart()
        try bench.lateFix(after: 25)
        let events = try bench.events()
        let retracted = Set(events.compactMap(\.retracts))
        #expect(!retracted.isDisjoint(with: events.prefix(2).map(\.id)))
        // The events that replace the retracted ones are sent.
        let standing = events.dropFirst(2).filter { $0.type != .retracted }.map(\.id)
        #expect(bench.wait("hook") { $0.waiting == 0 && $0.rejected == 2 && $0.delivered == standing.count })
        #expect(Array(sent(endpoint).dropFirst(2)) == standing)
        _ = try bench.edit { service throws(Problem) in try service.resendRejected(ofSink: "hook", sequence: nil) }
        bench.inbox.sinksChanged()
        let left = events.prefix(2).map(\.id).filter { !retracted.contains($0) }
        #expect(bench.wait("hook") { $0.rejected == 0 && $0.waiting == 0 && $0.delivered == standing.count + left.count })
        #expect(Array(sent(endpoint).dropFirst(2 + standing.count)) == left)
    }

    @Test("A permanent redirect is followed, and the new address is reported")
    func moved() throws {
        let bench = try DeliveryBench()
        let new = try ScriptedEndpoint()
        let old = try ScriptedEndpoint { [url = new.url] _, _ in .answer(301, headers: ["Location: \(url)/new"]) }
        try bench.webhook(old, ["id": "hook"])
        try bench.visits(2)
        #expect(bench.wait("hook") { $0.delivered == 4 && $0.movedTo == new.url + "/new" && $0.connection.state == .connected })
        #expect(try story(new, of: "mia") == ["enter", "exit", "enter", "exit"])
    }

    @Test("Events beyond the rate limit wait for their turn, and none is skipped")
    func rateLimit() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        try bench.webhook(endpoint, ["id": "hook", "rateLimit": ["messages": JSONValue(4), "seconds": JSONValue(60)]])
        try bench.visits(3)
        #expect(endpoint.wait(for: 4))
        #expect(bench.wait("hook") { $0.delivered == 4 && $0.waiting == 2 })
        bench.advance(14)
        bench.advance(1)
        #expect(endpoint.wait(for: 5))
        bench.advance(15)
        #expect(endpoint.wait(for: 6))
        #expect(sent(endpoint) == (try bench.eventIDs()))
    }

    @Test("To ask whether a message may be sent uses up no place of the rate limit, which does not apply to alarms")
    func permission() throws {
        let sink = try Sink(
            json: [
                "kind": "webhook", "url": "http://127.0.0.1:9/",
                "rateLimit": ["messages": JSONValue(1), "seconds": JSONValue(60)],
            ], id: nil)
        let now = DeliveryBench.start
        let delivery = try SinkDelivery(idle: .init(sink, cursor: 0, alarmCursor: 0), at: now)
        for number in 1...2 {
            delivery.lanes[.main]?.append(
                .event(SinkTest.testEvent(id: "e\(number)", at: now)), number: Int64(number), device: "d\(number)")
        }
        for _ in 0..<2 { #expect(delivery.mayBegin(.main, at: now)) }
        #expect(delivery.begin(.main, at: now) != nil)
        #expect(!delivery.mayBegin(.main, at: now) && delivery.rateLimitedUntil == now + 60)
        #expect(delivery.begin(.main, at: now) == nil && delivery.mayBegin(.alarms, at: now))
        _ = delivery.connection.pause(at: now)
        #expect(!delivery.mayBegin(.alarms, at: now) && !delivery.mayBegin(.main, at: now + 60))
    }

    @Test("A person pauses a sink and resumes it with the waiting events, or with the next ones only")
    func pausing() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        try bench.webhook(endpoint, ["id": "hook"])
        func pause() throws {
            _ = try bench.edit { service throws(Problem) in try service.pauseSink(id: "hook").sink.id }
            bench.inbox.sinksChanged()
            #expect(bench.wait("hook") { $0.connection.state == .paused(nil) })
        }
        try pause()
        try bench.visits(1)
        try bench.resume("hook")
        #expect(endpoint.wait(for: 2))
        #expect(bench.wait("hook") { $0.delivered == 2 && $0.connection.state == .connected })
        try pause()
        try bench.visits(1)
        try bench.resume("hook", skipping: true)
        try bench.visits(1)
        #expect(endpoint.wait(for: 4))
        let ids = try bench.eventIDs()
        let unskipped: [String] = Array(ids[0..<2]) + Array(ids[4..<6])
        #expect(sent(endpoint) == unskipped)
    }

    @Test("A removed sink gets nothing more, and its problem ends")
    func removal() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, _ in .answer(500) }
        try bench.webhook(endpoint, ["id": "hook"])
        try bench.visits(1)
        #expect(bench.wait("hook") { $0.connection.state.name == .reconnecting })
        try bench.edit { service throws(Problem) in try service.removeSink(id: "hook") }
        bench.inbox.sinksChanged()
        bench.advance(1)
        try bench.restart()
        #expect(endpoint.requests.count == 1 && bench.delivery.statuses.isEmpty)
        #expect(try bench.problems().isEmpty)
    }

    @Test("A test message ignores filter and pause, and reports its outcome")
    func testMessage() async throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint { _, number in number == 0 ? .answer(200) : .answer(404) }
        try bench.webhook(endpoint, ["id": "hook", "filter": ["devices": ["nobody"]]])
        #expect(try await bench.delivery.test(sink: "hook").outcome == .delivered)
        #expect(try JSONParser.parse(endpoint.requests[0].body)["test"] == true)
        guard case .pause(.sinkRejected("hook", 404, _)) = try await bench.delivery.test(sink: "hook").outcome else {
            Issue.record("a refusal is reported")
            return
        }
        #expect(bench.delivery.statuses["hook"]?.connection.state == .connected, "a test changes nothing")
        await #expect { try await bench.delivery.test(sink: "none") } throws: { ($0 as? Problem)?.code == "notFound" }
    }
}
