import Foundation
import MQTT
import Model
import Synchronization

/// An MQTT client like an OwnTracks app: publishes a message and waits until the broker has acknowledged it.
package final class MQTTPhone: Sendable {
    package struct Failed: Error {
        package var error: MQTTError?
    }

    private struct Weak: Sendable {
        weak var connection: MQTTConnection?
    }

    private let connection: MQTTConnection

    /// Connects, and waits until the broker has accepted the connection.
    ///
    /// - Parameters:
    ///   - subscriptions: The topics to receive.
    ///   - received: Called with each message and a function that publishes, on the connection's thread.
    package init(
        _ url: String, subscriptions: [String] = [],
        received: @escaping @Sendable (MQTTMessage, _ publish: (MQTTMessage) -> Void) -> Void = { _, _ in }
    ) throws {
        let isUp = DispatchSemaphore(value: 0)
        let ended = Mutex<MQTTError?>(nil)
        var handlers = MQTTConnection.Handlers()
        handlers.connected = { _ in isUp.signal() }
        handlers.ended = { error in
            ended.withLock { $0 = error }
            isUp.signal()
        }
        let own = Mutex(Weak())
        handlers.received = { messages in
            for message in messages { received(message) { answer in _ = own.withLock { $0.connection }?.publish(answer) } }
            return true
        }
        var options = MQTTOptions(patient: try BrokerAddress(url))
        options.subscriptions = subscriptions
        connection = MQTTConnection(options, handlers)
        own.withLock { [connection] in $0.connection = connection }
        isUp.wait()
        guard connection.isConnected else { throw Failed(error: ended.withLock { $0 }) }
    }

    /// Publishes with QoS 1, and waits for the acknowledgment.
    package func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) throws {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<MQTTError?>(nil)
        let isTaken = connection.publish(MQTTMessage(topic, payload, isRetained: isRetained)) { result in
            if case .failure(let error) = result { outcome.withLock { $0 = error } }
            done.signal()
        }
        guard isTaken else { throw Failed() }
        done.wait()
        if let error = outcome.withLock({ $0 }) { throw Failed(error: error) }
    }

    /// A phone whose app executes commands and publishes its answers.
    ///
    /// - Parameter topic: The topic on which the phone publishes its positions.
    package convenience init(_ url: String, topic: String, app: OwnTracksApp) throws {
        try self.init(url, subscriptions: [topic + "/cmd"]) { message, publish in
            guard let command = try? JSONParser.parse(message.text) else { return }
            for answer in app.receiveCommands([command]) {
                publish(MQTTMessage(topic + answer.subtopic, answer.json.description))
            }
        }
    }

    package func publish(_ topic: String, _ text: String, isRetained: Bool = false) throws {
        try publish(topic, Array(text.utf8), isRetained: isRetained)
    }
}
