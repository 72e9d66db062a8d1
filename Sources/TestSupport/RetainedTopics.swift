import Foundation
import MQTT
import Synchronization

/// The retained messages of a broker, as a client receives them that has subscribed to all topics.
package final class RetainedTopics: Sendable {
    private let topics: Topics
    private let client: MQTTPhone

    private final class Topics: Sendable {
        let current = Mutex<[String: String]>([:])
        let messageArrived = DispatchSemaphore(value: 0)
    }

    /// - Parameter ignoring: Topics with this suffix are ignored, because their messages are not retained.
    package init(_ url: String, ignoring suffix: String = "/event") throws {
        let topics = Topics()
        self.topics = topics
        client = try MQTTPhone(url, subscriptions: ["#"]) { message, _ in
            if message.topic.hasSuffix(suffix) { return }
            topics.current.withLock { $0[message.topic] = message.payload.isEmpty ? nil : message.text }
            topics.messageArrived.signal()
        }
    }

    package var all: [String: String] { topics.current.withLock { $0 } }

    /// Waits until the messages satisfy a condition. Returns false when the time is over.
    package func wait(until isRight: ([String: String]) -> Bool) -> Bool {
        let end = DispatchTime.now() + Watchdog.seconds
        while !isRight(all) {
            if topics.messageArrived.wait(timeout: end) == .timedOut { return isRight(all) }
        }
        return true
    }
}
