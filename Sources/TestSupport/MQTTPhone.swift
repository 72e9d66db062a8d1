import Foundation
import MQTT
import Model
import Synchronization

/// A client of a broker, as an OwnTracks app is: publishes a message and waits until the broker has it.
public final class MQTTPhone: Sendable {
    public struct Failed: Error {
        public var problem: Problem?
    }

    private let connection: MQTTConnection

    /// Connects, and waits until the broker has accepted it.
    public init(_ url: String) throws {
        let isUp = DispatchSemaphore(value: 0)
        let ended = Mutex<Problem?>(nil)
        var handlers = MQTTConnection.Handlers()
        handlers.connected = { _ in isUp.signal() }
        handlers.ended = { problem in
            ended.withLock { $0 = problem }
            isUp.signal()
        }
        connection = MQTTConnection(MQTTOptions(try BrokerAddress(url)), handlers)
        isUp.wait()
        guard connection.isConnected else { throw Failed(problem: ended.withLock { $0 }) }
    }

    /// Publishes with QoS 1.
    public func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) throws {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Problem?>(nil)
        let isTaken = connection.publish(MQTTMessage(topic, payload, isRetained: isRetained)) { result in
            if case .failure(let problem) = result { outcome.withLock { $0 = problem } }
            done.signal()
        }
        guard isTaken else { throw Failed() }
        done.wait()
        if let problem = outcome.withLock({ $0 }) { throw Failed(problem: problem) }
    }

    public func publish(_ topic: String, _ text: String, isRetained: Bool = false) throws {
        try publish(topic, Array(text.utf8), isRetained: isRetained)
    }
}
