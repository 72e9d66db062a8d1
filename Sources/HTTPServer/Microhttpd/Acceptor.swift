import CMicrohttpd
import Foundation
import Workers

/// Accepts the connections of a listening socket on its own thread.
///
/// libmicrohttpd can do this itself, but it cannot end this safely: `MHD_quiesce_daemon` and the threads of the pool may remove the socket
/// from the same set of epoll(7), and the second one ends the process (libmicrohttpd 0.9.75 to 1.0.1, `MHD_epoll`). It also shuts the
/// socket down at its end, although another process or the next server may use it.
struct Acceptor: Sendable {
    private let wake: WakeSignal
    private let thread: WorkThreads

    /// Milliseconds until a connection is accepted again when there was no room or no file descriptor for one.
    private static let pause: Int32 = 20

    /// - Parameters:
    ///   - socket: Must stay open until `stop()` has returned.
    ///   - hasRoom: Whether a connection may be accepted. The system keeps the others meanwhile.
    ///   - accepted: Takes over the descriptor of a new connection, which does not block.
    /// - Returns: Nil if the process has no file descriptors left.
    init?(
        _ socket: ListeningSocket, hasRoom: @escaping @Sendable () -> Bool,
        accepted: @escaping @Sendable (_ descriptor: Int32, _ peer: UnsafePointer<sockaddr>, _ length: socklen_t) -> Void
    ) {
        guard let wake = WakeSignal() else { return nil }
        self.wake = wake
        let listening = socket.descriptor
        // Another server that ends or begins may accept the connection for which poll(2) woke this thread.
        _ = fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) | O_NONBLOCK)
        thread = WorkThreads("picket accept") {
            var isPausing = false
            while true {
                var descriptors = [
                    pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: listening, events: Int16(POLLIN), revents: 0),
                ]
                _ = unsafe poll(&descriptors, isPausing ? 1 : 2, isPausing ? Self.pause : -1)
                if descriptors[0].revents != 0 { return }
                isPausing = unsafe !Self.acceptAll(listening, hasRoom: hasRoom, accepted: accepted)
            }
        }
    }

    /// Accepts connections until none is waiting.
    ///
    /// - Returns: False if some may still wait, because there was no room or no file descriptor.
    private static func acceptAll(
        _ listening: Int32, hasRoom: () -> Bool, accepted: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void
    ) -> Bool {
        while hasRoom() {
            var peer = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isAccepted = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                    let descriptor = unsafe accept4(listening, address, &length, flags)
                    if descriptor >= 0 { unsafe accepted(descriptor, address, length) }
                    return descriptor >= 0
                }
            }
            if isAccepted { continue }
            switch errno {
            case EAGAIN: return true
            // The client has left, or a signal has interrupted the call (accept(2)).
            case ECONNABORTED, EINTR, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
                continue
            default: return false
            }
        }
        return false
    }

    /// Accepts no more connections. Returns after the last one was handed over.
    func stop() {
        wake.signal()
        thread.join()
    }
}
