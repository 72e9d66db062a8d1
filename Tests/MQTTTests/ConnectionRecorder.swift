import Foundation
import MQTT
import Model
import Senders
import Synchronization
import TestSupport

/// Records what a connection reports, for a test that waits for it.
final class ConnectionRecorder: Sendable {
    private struct Report {
        var connected: Bool?
        var messages: [MQTTMessage] = []
        var ended: Problem??
        var results: [Result<Void, Problem>] = []
        /// Retained until the connection has ended, because a released connection ends.
        var connection: MQTTConnection?
    }

    struct TimedOut: Error {}

    private let report = Mutex(Report())
    private let condition = NSCondition()

    var handlers: MQTTConnection.Handlers {
        var handlers = MQTTConnection.Handlers()
        handlers.connected = { present in self.record { $0.connected = present } }
        handlers.received = { messages in
            self.record { $0.messages += messages }
            return true
        }
        handlers.ended = { error in
            self.record {
                $0.ended = .some(error.map { Problem($0) })
                $0.connection = nil
            }
        }
        return handlers
    }

    /// A completion that records the result.
    var completion: MQTTConnection.Completion {
        { result in self.record { $0.results.append(result.mapError { Problem($0) }) } }
    }

    /// Makes a connection that reports to this recorder.
    func connect(_ options: MQTTOptions, _ handlers: MQTTConnection.Handlers? = nil) -> MQTTConnection {
        let connection = MQTTConnection(options, handlers ?? self.handlers)
        report.withLock { if $0.ended == nil { $0.connection = connection } }
        return connection
    }

    var messages: [MQTTMessage] { report.withLock { $0.messages } }
    var results: [Result<Void, Problem>] { report.withLock { $0.results } }
    var successes: Int { results.count { if case .success = $0 { true } else { false } } }
    /// Whether the connection has ended.
    var hasEnded: Bool { report.withLock { $0.ended != nil } }

    /// Waits until the broker has accepted the connection, and returns whether the broker knew the session.
    @discardableResult
    func waitUntilConnected() throws -> Bool { try wait { $0.connected } }

    /// Waits until the connection has ended, and returns the reason.
    func waitUntilEnded() throws -> Problem? { try wait { $0.ended } }

    @discardableResult
    func wait(forMessages count: Int) throws -> [MQTTMessage] {
        try wait { $0.messages.count >= count ? $0.messages : nil }
    }

    @discardableResult
    func wait(forResults count: Int) throws -> [Result<Void, Problem>] {
        try wait { $0.results.count >= count ? $0.results : nil }
    }

    private func record(_ change: (inout sending Report) -> Void) {
        report.withLock { change(&$0) }
        condition.withLock { condition.broadcast() }
    }

    private func wait<Value: Sendable>(_ value: @Sendable (Report) -> Value?) throws -> Value {
        let end = Date.now + Watchdog.seconds
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (found, hasEnded) = report.withLock { (value($0), $0.ended != nil) }
            if let found { return found }
            // Nothing is reported after the end.
            if hasEnded || !condition.wait(until: end) { throw TimedOut() }
        }
    }
}
