import Model
import TestSupport
import Testing

@testable import Delivery

/// Compares random histories of sends, outcomes, wakes and waits with a simple reference.
@Suite("Peer connections over random histories")
struct RandomHistoryTests {
    /// A running send, and the reference's `epoch` when it began.
    private struct Send {
        var attempt: PeerConnection.Attempt
        var epoch: Int
    }

    /// The expected state, computed from the history alone.
    private struct Reference {
        var failures = 0
        var epoch = 0
        var isPaused = false
        var isPausedByPerson = false
        var refusals = 0
        var firstRefusal: Instant?
        var lastFailure: Instant?
        var notBefore: Instant?

        var name: ConnectionState.Name {
            isPaused ? .paused : failures == 0 ? .connected : failures > 5 ? .degraded : .reconnecting
        }

        mutating func succeeded() {
            self = Reference(epoch: epoch)
        }

        mutating func failed(_ seconds: Double?, isLatest: Bool, at now: Instant) {
            if isPaused {
                if isLatest { (epoch, lastFailure) = (epoch + 1, now) }
                return
            }
            if let seconds, isLatest || failures > 0 { notBefore = max(notBefore ?? now, now + seconds) }
            guard isLatest else { return }
            failures += 1
            epoch += 1
            lastFailure = now
        }

        mutating func refused(isLatest: Bool, at now: Instant) {
            guard isLatest else { return }
            refusals += 1
            firstRefusal = firstRefusal ?? now
            if !isPaused, refusals >= 10, let firstRefusal, now - firstRefusal >= 900 {
                self = Reference(
                    epoch: epoch + 1, isPaused: true, refusals: refusals, firstRefusal: firstRefusal, lastFailure: now)
            } else {
                failed(nil, isLatest: true, at: now)
            }
        }

        mutating func pausedByPerson() { self = Reference(epoch: epoch + 1, isPaused: true, isPausedByPerson: true) }
    }

    @Test(
        "At every step, the status is correct and announced, and attempts keep their waits", arguments: 0..<300 as Range<UInt64>)
    func promises(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var now = Instant(milliseconds: 1_777_000_000_000)
        var connection = PeerConnection(at: now)
        var reference = Reference()
        var sends: [Send] = []
        var announced = connection.status
        var timer: Instant?
        // Half of the histories are of peers that first accept nothing, in steps that are long enough for a pause.
        let isRefusing = seed % 2 == 0
        var pauses = 0

        func carryOut(_ actions: [PeerConnection.Action]) {
            for action in actions {
                switch action {
                case .wait(let until): timer = until
                case .announce(let status): announced = status
                case .attempt:
                    let isDue = connection.status.nextAttemptAt.map { $0 <= now } ?? false
                    #expect(isDue || connection.status.state == .connected)
                case .wakeOthers: #expect(connection.status.state == .connected)
                }
            }
        }

        for step in 0..<800 {
            let place = Comment(rawValue: "seed \(seed), step \(step)")
            switch Int.random(in: 0..<20, using: &random) {
            case 0...4:
                let mayBegin = connection.status.state == .connected || connection.status.nextAttemptAt.map { $0 <= now } == true
                let attempt = connection.begin(at: now)
                #expect((attempt != nil) == mayBegin, place)
                if let attempt {
                    // An attempt begins only after the peer's `Retry-After`, and only one at a time.
                    if reference.failures > 0 {
                        #expect(reference.notBefore.map { $0 <= now } ?? true, place)
                        #expect(reference.lastFailure.map { now - $0 >= 0.75 } ?? true, place)
                        #expect(!sends.contains { $0.epoch == reference.epoch }, place)
                    }
                    if reference.isPaused {
                        #expect(reference.lastFailure.map { now - $0 >= 3600 } ?? false, place)
                        #expect(!sends.contains { $0.epoch == reference.epoch }, place)
                    }
                    sends.append(Send(attempt: attempt, epoch: reference.epoch))
                }
            case 5...9:
                guard let index = sends.indices.randomElement(using: &random) else { continue }
                let send = sends.remove(at: index)
                let isLatest = send.epoch == reference.epoch
                let outcome: DeliveryOutcome
                switch Int.random(in: 0..<24, using: &random) {
                case 0...6 where isRefusing && step < 600: outcome = .retry(.timeout(peer: "p", details: ""), after: nil)
                case 0...5: outcome = .delivered
                case 8...20 where isRefusing: outcome = .pause(.sinkUnauthorized(sink: "s", status: 401, details: ""))
                case 6: outcome = .reject(.eventRejected(sink: "s", status: 422, details: ""))
                case 7: outcome = .pause(.sinkRejected(sink: "s", status: 404, details: ""))
                case 8, 9: outcome = .retry(.rateLimited(retryAfter: nil), after: Double(Int.random(in: 0...300, using: &random)))
                default: outcome = .retry(.timeout(peer: "p", details: ""), after: nil)
                }
                carryOut(connection.record(outcome, of: send.attempt, at: now, using: &random))
                if !reference.isPausedByPerson {
                    switch outcome {
                    case .delivered, .reject: reference.succeeded()
                    case .retry(_, let seconds): reference.failed(seconds, isLatest: isLatest, at: now)
                    case .pause: reference.refused(isLatest: isLatest, at: now)
                    }
                    if reference.isPaused { pauses += 1 }
                }
            case 10...14:
                now = now + Double.random(in: 0...(isRefusing ? 300 : 3), using: &random)
            case 15, 16:
                // The timer fires, sometimes late.
                guard let due = timer, due >= now else { continue }
                now = due + Double.random(in: 0...0.1, using: &random)
                timer = nil
                carryOut(connection.timerFired(at: now))
            case 17: carryOut(connection.peerRecovered(at: now))
            case 18:
                carryOut(connection.networkReturned(at: now))
                if reference.failures > 0, !(reference.notBefore.map { $0 > now } ?? false) { reference.failures = 1 }
            default:
                if !reference.isPaused, !isRefusing || step >= 600, Int.random(in: 0..<10, using: &random) == 0 {
                    carryOut(connection.pause(at: now))
                    reference.pausedByPerson()
                } else if reference.isPaused {
                    carryOut(connection.resume(at: now))
                    reference = Reference(failures: reference.isPausedByPerson ? 0 : 1, epoch: reference.epoch + 1)
                }
            }

            // The status is correct and was announced, except that the beginning of an attempt clears `nextAttemptAt` without an
            // announcement.
            let status = connection.status
            #expect(status.state.name == reference.name, place)
            #expect(status.state.attempt == (reference.isPaused || reference.failures == 0 ? nil : reference.failures), place)
            #expect(status.since <= now, place)
            if status.nextAttemptAt == nil { announced.nextAttemptAt = nil }
            #expect(status == announced, place)
            // There is always an attempt or a wait, and a wait of more than 30 s only if the peer asked for it.
            if status.state.name == .paused, !reference.isPausedByPerson {
                let isTrying = sends.contains { $0.epoch == reference.epoch }
                #expect((status.nextAttemptAt != nil) != isTrying, place)
                #expect(isTrying || status.nextAttemptAt == reference.lastFailure.map { $0 + 3600 }, place)
            } else if [.reconnecting, .degraded].contains(status.state.name) {
                let isTrying = sends.contains { $0.epoch == reference.epoch }
                #expect((status.nextAttemptAt != nil) != isTrying, place)
                if let due = status.nextAttemptAt, due > now {
                    #expect(due - now <= 30 || due == reference.notBefore, place)
                }
            } else {
                #expect(status.nextAttemptAt == nil, place)
            }
        }
        #expect(!isRefusing || pauses > 0, "seed \(seed)")
    }
}
