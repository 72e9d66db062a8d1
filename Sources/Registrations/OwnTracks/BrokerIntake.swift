import Core
import Model
import Observability
import Service
import Settings
import Synchronization

/// The intake from an MQTT broker, if the settings name one.
package final class BrokerIntake: Sendable {
    private let intake = Mutex<MQTTIntake?>(nil)
    private let writer: Writer
    private let metrics: Metrics
    package let phones: OwnTracksPhones
    private let make: @Sendable (Settings.MQTTBroker) -> MQTTIntake

    package init(
        _ writer: Writer, clientID: String, clock: any WallClock, metrics: Metrics, log: Log, phones: OwnTracksPhones
    ) {
        self.phones = phones
        self.writer = writer
        self.metrics = metrics
        make = { options in
            MQTTIntake(
                options, clientID: clientID, writer: writer, clock: clock, metrics: metrics, log: log, phones: phones
            ) { state in metrics.mqttState.withLock { $0 = state } }
        }
    }

    /// Applies the broker settings, at the start and after each reload.
    package func apply(_ options: Settings.MQTTBroker?, log: Log) {
        let current = intake.withLock { $0 }
        guard let options else {
            intake.withLock { $0 = nil }
            current?.stop()
            phones.use(broker: nil)
            metrics.mqttState.withLock { $0 = nil }
            // Resolves the problem of a broker that is no longer used.
            _ = writer.submit({ service throws(Problem) in try service.resolve(source: ProblemSource.broker) }) { result in
                if case .failure(let problem) = result { log.logProblem(problem, "mqtt") }
            }
            return
        }
        if options.broker.sendsPasswordInClear {
            log.warning(
                "mqtt", "The password is sent without encryption. Use mqtts:// to protect it.",
                fields: [.text("broker", "\(options.broker)")])
        }
        if let current { return current.reload(options) }
        let made = make(options)
        intake.withLock { $0 = made }
        phones.use { [weak made] message, completion in
            if let made { made.publish(message, completion) } else { completion(false) }
        }
        made.start()
    }

    /// Called every second.
    package func tick() { intake.withLock { $0 }?.retryIfDue() }

    /// Called when the machine's network is back.
    package func networkReturned() { intake.withLock { $0 }?.networkReturned() }

    package func stop() { intake.withLock { $0.take() }?.stop() }

    /// The state of the broker connection; nil without a broker.
    package var status: BrokerStatus? { intake.withLock { $0 }?.status }
}
