import Foundation
import Synchronization

/// A listening socket on an address of this machine, with one thread that accepts connections and one for each connection.
package final class LoopbackListener: Sendable {
    package let port: Int
    private let descriptor: Int32
    private let ending = Ending()

    /// Shared with the accepting thread, so that the thread does not retain the listener.
    private final class Ending: Sendable { let isOver = Atomic(false) }

    /// - Parameters:
    ///   - port: The port to listen on; 0 for a free one.
    ///   - serve: Handles a connection, which is closed when `serve` returns.
    ///   - closing: Called before a connection is closed. Afterward the descriptor's number may be reused.
    package init(
        host: String = "127.0.0.1", port: Int = 0, serve: @escaping @Sendable (Int32) -> Void,
        closing: @escaping @Sendable (Int32) -> Void = { _ in }
    ) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        descriptor = listener
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            close(listener)
            throw POSIXError(code)
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        let ending = ending
        Thread.detachNewThread {
            // Only this thread closes the listener. While `accept` may still be called, the descriptor's number must not be reused by
            // another server's listener, whose clients would be accepted here.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    if ending.isOver.load(ordering: .acquiring) { return }
                    // The call was interrupted, or no descriptors are available at present.
                    sched_yield()
                    continue
                }
                Thread.detachNewThread {
                    serve(connection)
                    closing(connection)
                    close(connection)
                }
            }
        }
    }

    /// Accepts no more connections. Existing connections continue.
    package func stop() {
        if !ending.isOver.exchange(true, ordering: .acquiringAndReleasing) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    deinit { stop() }
}
