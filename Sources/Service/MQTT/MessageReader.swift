import Dispatch
import Ingest
import MQTT
import Model
import Synchronization

/// Takes the messages of a broker: hands what devices say to the writer, and waits until it is kept.
struct MessageReader: Sendable {
    let writer: Writer
    let metrics: Metrics
    let log: Log

    /// The most bytes of a message.
    private static let longest = 1 << 20

    /// Takes messages, and returns when all that is to be kept of them is on disk.
    ///
    /// - Throws: when some of it could not be stored. Those that were are duplicates when they come again.
    func take(_ messages: [MQTTMessage]) throws(Problem) {
        let round = Round()
        for message in messages { take(message, round) }
        if let problem = round.wait() { throw problem }
    }

    private func take(_ message: MQTTMessage, _ round: Round) {
        guard !message.isRetained else { return metrics.mqttMessages.add(.retained) }
        guard let sender = OwnTracksTopic.sender(of: message.topic) else { return metrics.mqttMessages.add(.foreign) }
        var batch = FixBatch()
        batch.sender = ""
        var others: [OwnTracksMessage] = []
        if message.payload.count > Self.longest {
            batch.refusals.append(
                Refusal(
                    .tooLarge, device: sender.deviceId, field: "payload", value: "",
                    reason: "it has more than \(Self.longest) bytes; expected less at a time"))
        } else {
            switch message.payload.withUnsafeBufferPointer({ OwnTracks.decode($0, sender: sender, into: &batch) }) {
            case .empty: break
            case .unreadable(let reason):
                batch.refusals.append(
                    Refusal(.malformed, device: sender.deviceId, field: "payload", value: "", reason: reason))
            case .understood(let understood): others = understood
            }
        }
        submit(batch, others, round)
    }

    private func submit(_ batch: FixBatch, _ others: [OwnTracksMessage], _ round: Round) {
        let (metrics, log) = (metrics, log)
        if batch.rows.isEmpty, batch.refusals.isEmpty, others.isEmpty { return metrics.mqttMessages.add(.taken) }
        round.begin()
        let done: @Sendable (Result<IntakeResult, Problem>) -> Void = { result in
            if case .failure(let problem) = result, problem.isOfStore || problem == .cancelled {
                round.fail(problem)
                metrics.mqttMessages.add(.failed)
            } else {
                // Sent again it would fail again, and hold up all that comes after it.
                if case .failure(let problem) = result { log.problem(problem, "mqtt") }
                metrics.mqttMessages.add(.taken)
            }
            round.end()
        }
        let isTaken: Bool
        if others.isEmpty {
            var sorted = batch
            sorted.sortByTime()
            isTaken = writer.submit(sorted, done)
        } else {
            isTaken = writer.submit({ service throws(Problem) in try service.accept(batch, others) }) { result in
                if case .success(let intake) = result, !intake.refusals.isEmpty {
                    metrics.count(intake.refusals)
                    log.refused(intake.refusals)
                }
                done(result)
            }
        }
        if !isTaken {
            round.fail(.rateLimited(retryAfter: nil))
            metrics.mqttMessages.add(.failed)
            round.end()
        }
    }

    /// Messages that are acknowledged together.
    private final class Round: Sendable {
        private let group = DispatchGroup()
        private let failure = Mutex<Problem?>(nil)

        func begin() { group.enter() }
        func end() { group.leave() }
        func fail(_ problem: Problem) { failure.withLock { $0 = $0 ?? problem } }

        /// Waits until all have ended; gives the first problem.
        func wait() -> Problem? {
            group.wait()
            return failure.withLock { $0 }
        }
    }
}
