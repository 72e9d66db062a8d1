import Dispatch
import Ingest
import MQTT
import Model
import Observability
import Synchronization

/// Takes the messages of a broker: hands what devices say to the writer, and waits until it is kept.
struct MessageReader: Sendable {
    let writer: Writer
    let metrics: Metrics
    let log: Log
    let phones: OwnTracksPhones

    /// The most bytes of a message; a longer one is refused.
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
            others = message.payload.withUnsafeBufferPointer { batch.addOwnTracks($0, of: sender, field: "payload") }
        }
        submit(batch, others, of: sender, round)
    }

    private func submit(_ batch: FixBatch, _ others: [OwnTracksMessage], of sender: OwnTracksSender, _ round: Round) {
        if batch.isEmpty, others.isEmpty { return metrics.mqttMessages.add(.taken) }
        let (metrics, log, phones) = (metrics, log, phones)
        round.begin()
        let isTaken = writer.submit(batch, others) { result in
            switch result {
            case .failure(let problem) where problem.isOfStore || problem == .cancelled:
                round.fail(problem)
                metrics.mqttMessages.add(.failed)
            case .failure(let problem):
                // Sent again it would fail again, and hold up all that comes after it.
                log.problem(problem, "mqtt")
                metrics.mqttMessages.add(.taken)
            case .success(let intake):
                // The refusals of positions alone are counted with their transaction.
                if !others.isEmpty {
                    metrics.count(intake.refusals)
                    log.refused(intake.refusals)
                }
                metrics.mqttMessages.add(.taken)
                if let device = sender.deviceId {
                    let topic = OwnTracksTopic.base(of: sender)
                    phones.heard(device, by: .broker(topic: topic), isList: intake.listedDevices.contains(device))
                }
            }
            round.end()
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
