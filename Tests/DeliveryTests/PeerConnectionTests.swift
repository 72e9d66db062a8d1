import Model
import TestSupport
import Testing

@testable import Delivery

@Suite("Peer connections")
struct PeerConnectionTests {
    private static let start = Instant(milliseconds: 1_777_000_000_000)
    private static let refused = Problem.noConnection(peer: "p", details: "refused")
    private static let unreachable = DeliveryOutcome.retry(refused, after: nil)
    private static let tokenRefused = Problem.sinkUnauthorized(sink: "s", status: 401, details: "")
    private static let refusal = DeliveryOutcome.pause(tokenRefused)

    /// A connection with a clock under the test's control.
    private struct Scene {
        var connection = PeerConnection(at: PeerConnectionTests.start)
        var random = SeededRandom(seed: 11)
        var now = PeerConnectionTests.start

        /// Begins and ends a send at the current time; nil when none may begin.
        mutating func send(_ outcome: DeliveryOutcome) -> [PeerConnection.Action]? {
            guard let attempt = connection.begin(at: now) else { return nil }
            return connection.record(outcome, of: attempt, at: now, using: &random)
        }

        /// Begins a send at the current time.
        mutating func begin() throws -> PeerConnection.Attempt {
            let attempt = connection.begin(at: now)
            return try #require(attempt)
        }

        /// Moves the clock to the next attempt and fires the timer. Returns the seconds that passed.
        mutating func wait() throws -> Double {
            let due = try #require(connection.status.nextAttemptAt)
            #expect(connection.begin(at: due + -0.001) == nil)
            let waited = due - now
            now = due
            #expect(connection.timerFired(at: now) == [.attempt])
            return waited
        }

        /// Lets attempts fail until `count` attempts to reconnect have failed.
        mutating func fail(_ count: Int) throws {
            _ = send(PeerConnectionTests.unreachable)
            for _ in 0..<count {
                _ = try wait()
                _ = send(PeerConnectionTests.unreachable)
            }
        }
    }

    /// Refuses each attempt until the connection is paused. Returns the number of refusals.
    private func refuse(_ scene: inout Scene, _ refusal: DeliveryOutcome = refusal) throws -> Int {
        _ = scene.send(refusal)
        var count = 1
        while scene.connection.status.state.name != .paused {
            #expect(scene.connection.status.state.name != .connected)
            _ = try scene.wait()
            _ = scene.send(refusal)
            count += 1
            try #require(count < 100)
        }
        return count
    }

    @Test("A new connection is connected, and allows any number of sends")
    func fresh() {
        var scene = Scene()
        #expect(scene.connection.status == ConnectionStatus(state: .connected, since: Self.start))
        for _ in 0..<100 { #expect(scene.connection.begin(at: scene.now) != nil) }
        #expect(scene.send(.delivered) == [])
        #expect(scene.connection.timerFired(at: scene.now) == [])
    }

    @Test("Five attempts wait 1, 2, 4, 8 and 16 s; then the connection is degraded and tries every 30 s")
    func waits() throws {
        var scene = Scene()
        _ = scene.send(Self.unreachable)
        for (number, most) in [1.0, 2, 4, 8, 16].enumerated() {
            #expect(scene.connection.status.state == .reconnecting(attempt: number + 1, maxAttempts: 5))
            #expect(scene.connection.status.since == Self.start)
            #expect(scene.connection.status.problem == Self.refused)
            let waited = try scene.wait()
            #expect(waited <= most && waited >= 0.75 * most)
            _ = scene.send(Self.unreachable)
        }
        let degraded = scene.now
        for attempt in 6...20 {
            #expect(scene.connection.status.state == .degraded(attempt: attempt))
            #expect(scene.connection.status.since == degraded)
            let waited = try scene.wait()
            #expect(waited <= 30 && waited >= 22.5)
            _ = scene.send(Self.unreachable)
        }
    }

    @Test("A success connects, forgets all failures and wakes the other connections", arguments: [0, 3, 9])
    func success(_ failures: Int) throws {
        var scene = Scene()
        try scene.fail(failures)
        _ = try scene.wait()
        let connected = ConnectionStatus(state: .connected, since: scene.now)
        #expect(scene.send(.delivered) == [.announce(connected), .wakeOthers])
        #expect(scene.connection.status == connected)
        _ = scene.send(Self.unreachable)
        #expect(scene.connection.status.state == .reconnecting(attempt: 1, maxAttempts: 5))
    }

    @Test("A failed connection tries one send at a time until one succeeds")
    func oneAtATime() throws {
        var scene = Scene()
        try scene.fail(0)
        _ = try scene.wait()
        let attempt = try scene.begin()
        #expect(scene.connection.status.nextAttemptAt == nil)
        #expect(scene.connection.begin(at: scene.now + 60) == nil)
        #expect(scene.connection.timerFired(at: scene.now + 60) == [])
        _ = scene.connection.record(.delivered, of: attempt, at: scene.now, using: &scene.random)
        #expect(scene.connection.begin(at: scene.now) != nil)
    }

    @Test("Sends that were in flight together count as one failure")
    func together() throws {
        var scene = Scene()
        let attempts = (0..<50).map { _ in scene.connection.begin(at: scene.now) }
        for attempt in attempts {
            _ = scene.connection.record(Self.unreachable, of: try #require(attempt), at: scene.now, using: &scene.random)
        }
        #expect(scene.connection.status.state == .reconnecting(attempt: 1, maxAttempts: 5))
    }

    @Test("The success of a send that began before the failure connects")
    func lateSuccess() throws {
        var scene = Scene()
        let (first, second) = (scene.connection.begin(at: scene.now), scene.connection.begin(at: scene.now))
        _ = scene.connection.record(Self.unreachable, of: try #require(first), at: scene.now, using: &scene.random)
        _ = scene.connection.record(.delivered, of: try #require(second), at: scene.now, using: &scene.random)
        #expect(scene.connection.status.state == .connected)
    }

    @Test("A long-lived connection reports its success and later its loss")
    func longLived() throws {
        var scene = Scene()
        try scene.fail(2)
        _ = try scene.wait()
        let attempt = try scene.begin()
        _ = scene.connection.record(.delivered, of: attempt, at: scene.now, using: &scene.random)
        _ = scene.connection.record(Self.unreachable, of: attempt, at: scene.now + 3600, using: &scene.random)
        #expect(scene.connection.status.state == .reconnecting(attempt: 1, maxAttempts: 5))
    }

    @Test(
        "The wait lasts as long as the peer asks, up to an hour, and never less than the backoff",
        arguments: [0, 0.1, 7, 120, 1e9])
    func retryAfter(_ seconds: Double) throws {
        var scene = Scene()
        _ = scene.send(.retry(.rateLimited(retryAfter: seconds), after: seconds))
        let waited = try #require(scene.connection.status.nextAttemptAt) - scene.now
        #expect(waited >= 0.75 && waited >= min(seconds, 3600) && waited <= max(1, min(seconds, 3600)))
    }

    @Test("No event shortens a Retry-After, and one from a second send still counts after the failure")
    func retryAfterStands() throws {
        var scene = Scene()
        let (first, second) = (scene.connection.begin(at: scene.now), scene.connection.begin(at: scene.now))
        _ = scene.connection.record(Self.unreachable, of: try #require(first), at: scene.now, using: &scene.random)
        let busy = DeliveryOutcome.retry(.serverError(status: 503, details: ""), after: 120)
        let actions = scene.connection.record(busy, of: try #require(second), at: scene.now, using: &scene.random)
        #expect(actions == [.announce(scene.connection.status), .wait(until: Self.start + 120)])
        #expect(scene.connection.peerRecovered(at: scene.now + 5) == [])
        #expect(scene.connection.networkReturned(at: scene.now + 5) == [])
        #expect(scene.connection.status.nextAttemptAt == Self.start + 120)
    }

    @Test("A recovered peer triggers an attempt at once, and the failures stay counted")
    func peerRecovers() throws {
        var scene = Scene()
        try scene.fail(7)
        let now = scene.now + 5
        let actions = scene.connection.peerRecovered(at: now)
        #expect(actions == [.announce(scene.connection.status), .attempt])
        #expect(scene.connection.status.state == .degraded(attempt: 8))
        #expect(scene.connection.begin(at: now) != nil)
    }

    @Test("A returned network triggers an attempt at once, and the count starts again")
    func networkReturns() throws {
        var scene = Scene()
        try scene.fail(7)
        scene.now = scene.now + 5
        let actions = scene.connection.networkReturned(at: scene.now)
        #expect(actions == [.announce(scene.connection.status), .attempt])
        #expect(scene.connection.status.state == .reconnecting(attempt: 1, maxAttempts: 5))
        #expect(scene.connection.status.since == scene.now)
        _ = scene.send(Self.unreachable)
        #expect(try scene.wait() <= 2)
    }

    @Test("Attempts are at least one second apart, however often the connection is woken")
    func wakeStorm() throws {
        var scene = Scene()
        try scene.fail(7)
        let failed = scene.now
        var attempts = 0
        for step in 0..<1000 {
            scene.now = failed + Double(step) / 1000
            _ = step % 2 == 0 ? scene.connection.peerRecovered(at: scene.now) : scene.connection.networkReturned(at: scene.now)
            if scene.connection.begin(at: scene.now) != nil { attempts += 1 }
        }
        #expect(attempts == 0)
        #expect(scene.connection.timerFired(at: failed + 1) == [.attempt])
    }

    @Test("A wake during an attempt that then fails gives a short wait")
    func wokenDuringAttempt() throws {
        var scene = Scene()
        try scene.fail(7)
        _ = try scene.wait()
        let attempt = try scene.begin()
        #expect(scene.connection.peerRecovered(at: scene.now) == [])
        scene.now = scene.now + 60
        _ = scene.connection.record(Self.unreachable, of: attempt, at: scene.now, using: &scene.random)
        #expect(try scene.wait() <= 1)
        _ = scene.send(Self.unreachable)
        #expect(try scene.wait() >= 22.5)
    }

    @Test("A refusal is retried after the usual wait, and a success ends it", arguments: [1, 2, 9, 20])
    func refusals(_ count: Int) throws {
        var scene = Scene()
        for number in 1...count {
            _ = scene.send(Self.refusal)
            let status = scene.connection.status
            #expect(status.state.attempt == number && status.problem == Self.tokenRefused)
            #expect(try scene.wait() <= [1, 2, 4, 8, 16][min(number, 5) - 1] || number > 5)
        }
        #expect(scene.send(.delivered)?.last == .wakeOthers)
        #expect(scene.connection.status == ConnectionStatus(state: .connected, since: scene.now))
    }

    @Test("Ten refusals over 15 minutes pause the connection, and then each hour one send is tried")
    func paused() throws {
        var scene = Scene()
        let count = try refuse(&scene)
        let pausedAt = scene.now
        #expect(count >= PeerConnection.refusalPatience.count)
        #expect(pausedAt - Self.start >= 900 && pausedAt - Self.start <= 930)
        for hour in 1...50 {
            #expect(
                scene.connection.status
                    == ConnectionStatus(
                        state: .paused(Self.tokenRefused), since: pausedAt, nextAttemptAt: scene.now + 3600,
                        problem: Self.tokenRefused))
            #expect(scene.connection.networkReturned(at: scene.now + 3599) == [])
            #expect(scene.connection.peerRecovered(at: scene.now + 3599) == [])
            #expect(try scene.wait() == 3600)
            let probe = try scene.begin()
            #expect(scene.connection.begin(at: scene.now) == nil, "one at a time")
            scene.now = scene.now + Double(hour)
            // A probe that is not answered, or that rejects only this event, does not change the reason.
            let outcome = hour % 2 == 0 ? Self.unreachable : Self.refusal
            let actions = scene.connection.record(outcome, of: probe, at: scene.now, using: &scene.random)
            #expect(actions == [.announce(scene.connection.status), .wait(until: scene.now + 3600)])
        }
        _ = try scene.wait()
        #expect(scene.send(.delivered)?.last == .wakeOthers)
        #expect(scene.connection.status == ConnectionStatus(state: .connected, since: scene.now))
        // The earlier refusals are forgotten.
        _ = scene.send(Self.refusal)
        #expect(scene.connection.status.state == .reconnecting(attempt: 1, maxAttempts: 5))
    }

    @Test("A probe that is refused for another reason shows that reason")
    func anotherReason() throws {
        var scene = Scene()
        _ = try refuse(&scene)
        _ = try scene.wait()
        let moved = Problem.sinkRejected(sink: "s", status: 404, details: "gone")
        _ = scene.send(.pause(moved))
        #expect(scene.connection.status.state == .paused(moved) && scene.connection.status.problem == moved)
    }

    @Test("Many refusals in a short time do not pause, and neither do a few over a long time")
    func impatience() throws {
        var scene = Scene()
        for _ in 0..<800 {
            _ = scene.send(Self.refusal)
            _ = scene.connection.networkReturned(at: scene.now)
            scene.now = scene.now + 1
        }
        #expect(scene.connection.status.state.name == .reconnecting)
        var rare = Scene()
        for _ in 0..<4 {
            _ = rare.send(Self.refusal)
            _ = try rare.wait()
            _ = rare.send(.retry(.rateLimited(retryAfter: 3600), after: 3600))
            _ = try rare.wait()
        }
        #expect(rare.now - Self.start >= 4 * 3600 && rare.connection.status.state.name != .paused)
    }

    @Test("Failures of another kind between refusals do not postpone the pause, and a success does")
    func mixed() throws {
        var scene = Scene()
        var step = 0
        while scene.connection.status.state.name != .paused {
            _ = scene.send(step % 3 == 0 ? Self.refusal : Self.unreachable)
            if scene.connection.status.state.name != .paused { _ = try scene.wait() }
            step += 1
            try #require(step < 100)
        }
        #expect(scene.now - Self.start <= 1000)
        var working = Scene()
        for step in 0..<200 {
            _ = working.send(step % 20 == 19 ? .delivered : Self.refusal)
            if working.connection.status.state == .connected { working.now = working.now + 30 } else { _ = try working.wait() }
        }
        #expect(working.now - Self.start >= 3600 && working.connection.status.state.name != .paused)
    }

    @Test("A clock that is set back by a day does not postpone the pause")
    func refusedWhileClockSetBack() throws {
        var scene = Scene()
        for _ in 0..<5 {
            _ = scene.send(Self.refusal)
            _ = try scene.wait()
        }
        let before = scene.now
        scene.now = before + -86_400
        _ = scene.connection.timerFired(at: scene.now)
        while scene.connection.status.state.name != .paused {
            _ = try scene.wait()
            _ = scene.send(Self.refusal)
            try #require(scene.now - before <= -86_400 + 960)
        }
    }

    @Test("A pause by a person replaces a pause by refusals, and is not probed")
    func personWins() throws {
        var scene = Scene()
        _ = try refuse(&scene)
        #expect(scene.connection.pause(at: scene.now) == [.announce(scene.connection.status)])
        #expect(scene.connection.status.state == .paused(nil) && scene.connection.status.nextAttemptAt == nil)
        #expect(scene.connection.begin(at: scene.now + 1e6) == nil)
        #expect(scene.connection.pause(at: scene.now) == [])
    }

    @Test("A person resumes a connection that refusals have paused: it is tried at once, and has all its patience again")
    func resumed() throws {
        var scene = Scene()
        _ = try refuse(&scene)
        scene.now = scene.now + 60
        let actions = scene.connection.resume(at: scene.now)
        #expect(actions == [.announce(scene.connection.status), .attempt])
        #expect(scene.connection.status.state == .reconnecting(attempt: 1, maxAttempts: 5))
        let resumedAt = scene.now
        _ = try refuse(&scene)
        #expect(scene.now - resumedAt >= 900)
    }

    @Test("The success of a send that began before the pause connects, and its refusal does not count")
    func answerFromBefore() throws {
        var scene = Scene()
        let (first, second, third) = (try scene.begin(), try scene.begin(), try scene.begin())
        _ = scene.connection.record(Self.refusal, of: first, at: scene.now, using: &scene.random)
        _ = try scene.wait()
        _ = try refuse(&scene)
        let paused = scene.connection.status
        #expect(scene.connection.record(Self.refusal, of: second, at: scene.now, using: &scene.random) == [])
        #expect(scene.connection.status == paused)
        _ = scene.connection.record(.delivered, of: third, at: scene.now, using: &scene.random)
        #expect(scene.connection.status.state == .connected)
    }

    @Test("A connection that refusals have paused is tried an hour after that, even after a restart")
    func restarted() {
        var early = PeerConnection(pausedBy: Self.tokenRefused, since: Self.start)
        #expect(early.status.problem == Self.tokenRefused)
        #expect(early.begin(at: Self.start + 3599) == nil)
        #expect(early.begin(at: Self.start + 3600) != nil)
        var late = PeerConnection(pausedBy: Self.tokenRefused, since: Self.start)
        #expect(late.begin(at: Self.start + 86_400) != nil)
        #expect(late.begin(at: Self.start + 86_400) == nil)
    }

    @Test("A connection that a person paused is connected when the person resumes it, even after a restart")
    func pausedByPerson() {
        var scene = Scene()
        #expect(scene.connection.pause(at: scene.now) == [.announce(scene.connection.status)])
        #expect(scene.connection.begin(at: scene.now) == nil)
        var restarted = PeerConnection(pausedBy: nil, since: Self.start)
        #expect(restarted.status == scene.connection.status)
        #expect(restarted.begin(at: Self.start + 1e6) == nil)
        #expect(restarted.resume(at: Self.start + 60).contains(.attempt))
        #expect(restarted.status == ConnectionStatus(state: .connected, since: Self.start + 60))
    }

    @Test("A rejected event leaves the connection connected, since the peer has answered")
    func rejected() throws {
        var scene = Scene()
        let refusal = DeliveryOutcome.reject(.eventRejected(sink: "s", status: 422, details: ""))
        #expect(scene.send(refusal) == [])
        try scene.fail(2)
        _ = try scene.wait()
        #expect(scene.send(refusal)?.last == .wakeOthers)
        #expect(scene.connection.status.state == .connected)
    }

    @Test("The length of a wait stays the same when the clock is set back")
    func clockSetBack() throws {
        var scene = Scene()
        try scene.fail(3)
        let wait = try #require(scene.connection.status.nextAttemptAt) - scene.now
        let earlier = scene.now + -86_400
        #expect(scene.connection.timerFired(at: earlier) == [.wait(until: earlier + wait)])
        #expect(scene.connection.begin(at: earlier + wait) != nil)
    }

    @Test("The status is written as JSON, with everything that is known about it")
    func json() throws {
        var scene = Scene()
        #expect(scene.connection.status.json(in: AnswerLocale()) == ["state": "connected", "since": JSONValue(Self.start)])
        try scene.fail(0)
        let json = scene.connection.status.json(in: AnswerLocale(.turkish))
        #expect(json["state"] == "reconnecting" && json["attempt"] == JSONValue(1) && json["maxAttempts"] == JSONValue(5))
        #expect(json["nextAttemptAt"] == scene.connection.status.nextAttemptAt.map { JSONValue($0) })
        #expect(json["problem"]?["code"] == "noConnection" && json["problem"]?["title"] == "Bağlantı yok")
        try scene.fail(6)
        #expect(scene.connection.status.json(in: AnswerLocale())["maxAttempts"] == nil)
        #expect(scene.connection.status.json(in: AnswerLocale())["state"] == "degraded")
    }

    @Test("Each state of a sink names its open problem")
    func openProblem() throws {
        var scene = Scene()
        #expect(scene.connection.status.problem(ofSink: "s") == nil)
        try scene.fail(0)
        #expect(scene.connection.status.problem(ofSink: "s") == .sinkUnreachable(sink: "s", details: "refused"))
        for _ in 0..<5 {
            _ = try scene.wait()
            _ = scene.send(Self.unreachable)
        }
        #expect(scene.connection.status.problem(ofSink: "s") == .deliveryDegraded(sink: "s", attempts: 5, details: "refused"))
        // A sink that answers is not called unreachable.
        var failing = Scene()
        let failure = DeliveryOutcome(httpStatus: 500, sink: "s", details: "out of order")
        _ = failing.send(failure)
        #expect(
            failing.connection.status.problem(ofSink: "s") == .sinkUnreachable(sink: "s", status: 500, details: "out of order"))
        for _ in 0..<5 {
            _ = try failing.wait()
            _ = failing.send(failure)
        }
        #expect(
            failing.connection.status.problem(ofSink: "s")
                == .deliveryDegraded(sink: "s", attempts: 5, status: 500, details: "out of order"))
        // A refusal says what a person has to correct, so it is shown from the beginning.
        _ = try scene.wait()
        _ = scene.send(Self.refusal)
        #expect(scene.connection.status.problem(ofSink: "s") == Self.tokenRefused)
        var refused = Scene()
        _ = refused.send(Self.refusal)
        #expect(refused.connection.status.problem(ofSink: "s") == Self.tokenRefused)
        _ = try refuse(&refused)
        #expect(refused.connection.status.problem(ofSink: "s") == Self.tokenRefused)
    }
}
