import Core
import Dispatch
import Ingest
import MQTT
import Model
import Observability
import Presence
import Service
import Synchronization

/// Processes the messages of a broker: passes what devices send to the writer, and waits until it is stored.
struct MessageReader: Sendable {
    let writer: Writer
    let metrics: Metrics
    let log: Log
    let phones: OwnTracksPhones

    /// The maximum number of bytes of a message. Longer ones are refused.
    private static let longest = 1 << 20

    /// Processes messages, and returns when their content is on disk.
    ///
    /// - Returns: The problem if a part could not be stored. The stored parts are recognized as duplicates when the broker sends the
    ///   messages again.
    func process(_ messages: [MQTTMessage]) -> Problem? {
        let round = MessageGroup()
        for message in messages { process(message, round) }
        return round.wait()
    }

    private func process(_ message: MQTTMessage, _ round: MessageGroup) {
        guard let sender = OwnTracksTopic.sender(of: message.topic) else { return metrics.mqttMessages.add(.foreign) }
        var batch = FixBatch()
        batch.sender = ""
        var others: [OwnTracksMessage] = []
        if message.payload.count > Self.longest {
            batch.refusals.append(
                Refusal(
                    .tooLarge, device: sender.deviceId, field: "payload", value: "",
                    reason: .expecting(.moreThan(Self.longest), .lessAtATime)))
        } else {
            others = message.payload.withUnsafeBufferPointer {
                batch.addOwnTracks($0, of: sender, options: writer.decodingOptions(ofDevice: nil), field: "payload")
            }
        }
        if message.isRetained {
            submitRetained(batch, of: sender, round)
        } else {
            submit(batch, others, of: sender, round)
        }
    }

    /// The maximum age of a retained position, in seconds.
    private static let longestRetention = 86_400.0

    /// Submits the positions of a retained message that are news: newer than all positions of a known device, which may have
    /// none, and at most a day old. Many apps let the broker retain their last position, which is all that a parked phone sends
    /// after a restart. Everything else may be old, and a device that was removed must not come back.
    private func submitRetained(_ batch: FixBatch, of sender: OwnTracksSender, _ round: MessageGroup) {
        guard let device = sender.deviceId, !batch.rows.isEmpty else { return metrics.mqttMessages.add(.retained) }
        var batch = batch
        (batch.refusals, batch.alarms) = ([], [])
        batch.isRetained = true
        round.begin()
        let earliest = writer.clock.now() + -Self.longestRetention
        let isTaken = writer.submit({ service throws(Problem) in try service.newestFixTime(ofDevice: device) }) {
            [batch] result in
            var news = batch
            switch result {
            case .failure(let problem):
                round.fail(problem)
                metrics.mqttMessages.add(.failed)
                return round.end()
            case .success(nil): news.rows = []
            case .success(let newest?): news.rows.removeAll { $0.fix.time <= max(newest, earliest) }
            }
            if news.rows.isEmpty {
                metrics.mqttMessages.add(.retained)
            } else {
                submit(news, [], of: sender, round)
            }
            round.end()
        }
        if !isTaken {
            round.fail(.rateLimited(retryAfter: nil))
            metrics.mqttMessages.add(.failed)
            round.end()
        }
    }

    private func submit(_ batch: FixBatch, _ others: [OwnTracksMessage], of sender: OwnTracksSender, _ round: MessageGroup) {
        if batch.isEmpty, others.isEmpty { return metrics.mqttMessages.add(.taken) }
        let (metrics, log, phones) = (metrics, log, phones)
        round.begin()
        let isTaken = writer.submit(batch, messages: others) { result in
            switch result {
            case .failure(let problem) where problem.concernsStore || problem.concernsClock || problem == .cancelled:
                round.fail(problem)
                metrics.mqttMessages.add(.failed)
            case .failure(let problem):
                // The same message would fail again and block all later ones, so it is acknowledged.
                log.logProblem(problem, "mqtt")
                metrics.mqttMessages.add(.taken)
            case .success(let intake):
                // The refusals of a request with positions only are counted with their transaction.
                if !others.isEmpty {
                    metrics.countRefusals(intake.refusals)
                    log.logRefusals(intake.refusals)
                }
                metrics.mqttMessages.add(.taken)
                if let device = sender.deviceId, !batch.isRetained {
                    let topic = OwnTracksTopic.base(of: sender)
                    phones.messageStored(of: device, via: .broker(topic: topic), isList: intake.listedDevices.contains(device))
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

    /// A set of messages that are acknowledged together.
    private final class MessageGroup: Sendable {
        private let group = DispatchGroup()
        private let failure = Mutex<Problem?>(nil)

        func begin() { group.enter() }
        func end() { group.leave() }
        func fail(_ problem: Problem) { failure.withLock { $0 = $0 ?? problem } }

        /// Waits until all messages are processed, and returns the first problem.
        func wait() -> Problem? {
            group.wait()
            return failure.withLock { $0 }
        }
    }
}
