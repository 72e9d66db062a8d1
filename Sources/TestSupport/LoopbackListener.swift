import Foundation
import Synchronization

/// A socket that listens at an address of this machine, with a thread that takes its connections and one more for each of them.
final class LoopbackListener: Sendable {
    let port: Int
    private let descriptor: Int32
    private let ending = Ending()

    /// What the thread knows without keeping the listener.
    private final class Ending: Sendable { let isOver = Atomic(false) }

    /// - Parameters:
    ///   - port: Where to listen; 0: where it is free.
    ///   - serve: Talks to a connection, which is closed when this returns.
    ///   - closing: Is called before a connection is closed: from then on its number may be another's.
    init(
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
            // This thread closes the listener, and nobody else: while it may still accept, the number must not become that of another
            // server's listener, whose clients it would take away.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    if ending.isOver.load(ordering: .acquiring) { return }
                    // Interrupted, or no descriptors are left for now.
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

    /// Refuses connections from now on. Those that there are go on.
    func stop() {
        if !ending.isOver.exchange(true, ordering: .acquiringAndReleasing) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    deinit { stop() }
}
