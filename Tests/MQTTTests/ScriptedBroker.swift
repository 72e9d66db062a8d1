import Foundation
import Synchronization
import TestSupport

/// A server on 127.0.0.1 that answers with the bytes that a test provides, as no real broker would.
final class ScriptedBroker: Sendable {
    let port: Int
    private let descriptor: Int32
    private let received = Mutex<[[UInt8]]>([])
    private let news = NSCondition()

    struct TimedOut: Error {}

    /// The received packets.
    var packets: [[UInt8]] { received.withLock { $0 } }

    /// CONNACK of MQTT 5.0 without properties, and of 3.1.1.
    static let accept: [UInt8] = [0x20, 3, 0, 0, 0]
    static let accept3: [UInt8] = [0x20, 2, 0, 0]

    /// - Parameter answer: Returns the bytes to send for a packet; nil closes the connection.
    init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        descriptor = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = Glibc.accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [weak self] in
                    while let packet = ScriptedBroker.packet(connection) {
                        self?.recordPacket(packet)
                        guard let bytes = answer(packet) else { break }
                        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    }
                    close(connection)
                }
            }
        }
    }

    private func recordPacket(_ packet: [UInt8]) {
        received.withLock { $0.append(packet) }
        news.withLock { news.broadcast() }
    }

    /// Waits until the received packets satisfy a condition.
    func wait(_ isDone: ([[UInt8]]) -> Bool) throws {
        let end = Date.now + Watchdog.seconds
        try news.withLock {
            while !isDone(packets) { if !news.wait(until: end) { throw TimedOut() } }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
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
