import Foundation
import Synchronization
import TestSupport

/// A server on 127.0.0.1 that answers with the bytes that a test provides, as no real broker would.
final class ScriptedBroker: Sendable {
    private let listener: LoopbackListener
    private let history = History()

    /// Shared with the threads of connections.
    private final class History: Sendable {
        let received = Mutex<[[UInt8]]>([])
        let news = NSCondition()

        func record(_ packet: [UInt8]) {
            received.withLock { $0.append(packet) }
            news.withLock { news.broadcast() }
        }
    }

    struct TimedOut: Error {}

    var port: Int { listener.port }

    /// The received packets.
    var packets: [[UInt8]] { history.received.withLock { $0 } }

    /// CONNACK of MQTT 5.0 without properties, and of 3.1.1.
    static let accept: [UInt8] = [0x20, 3, 0, 0, 0]
    static let accept3: [UInt8] = [0x20, 2, 0, 0]

    /// - Parameter answer: Returns the bytes to send for a packet; nil closes the connection.
    init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        listener = try LoopbackListener { [history] connection in
            while let packet = ScriptedBroker.packet(connection) {
                history.record(packet)
                guard let bytes = answer(packet) else { return }
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Waits until the received packets satisfy a condition.
    func wait(_ isDone: ([[UInt8]]) -> Bool) throws {
        let end = Date.now + Watchdog.seconds
        try history.news.withLock {
            while !isDone(packets) { if !history.news.wait(until: end) { throw TimedOut() } }
        }
    }

    /// Reads the next packet, whose length must fit into one or two bytes; nil at the end.
    private static func packet(_ connection: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        func take(_ count: Int) -> Bool {
            for _ in 0..<count {
                var byte: UInt8 = 0
                guard recv(connection, &byte, 1, 0) == 1 else { return false }
                bytes.append(byte)
            }
            return true
        }
        guard take(2) else { return nil }
        var length = Int(bytes[1] & 0x7F)
        if bytes[1] >= 0x80 {
            guard take(1) else { return nil }
            length += Int(bytes[2]) << 7
        }
        return take(length) ? bytes : nil
    }
}
