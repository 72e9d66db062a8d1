import Foundation
import Synchronization

/// Whether the client of a request still waits for the answer. Can be used from any thread.
///
/// libmicrohttpd does not watch the connection of a waiting request, so the socket itself is asked.
package final class ClientPresence: Sendable {
    /// The socket of the connection; −1 when the client has left or the request has ended.
    private let descriptor: Atomic<Int32>

    /// `POLLRDHUP` of poll(2), which is missing in the imported module: the client has closed the connection, or its sending side.
    private static let closedByClient = Int16(0x2000)

    /// - Parameter descriptor: The socket of the connection. It must stay open until `end()` is called.
    package init(descriptor: Int32) { self.descriptor = Atomic(descriptor) }

    /// Whether the client has closed its connection, or the sending side of it, or the request has ended. A client that has left
    /// does not come back.
    package var hasLeft: Bool {
        let descriptor = descriptor.load(ordering: .relaxed)
        guard descriptor >= 0 else { return true }
        var socket = pollfd(fd: descriptor, events: Self.closedByClient, revents: 0)
        guard unsafe poll(&socket, 1, 0) > 0 else { return false }
        end()
        return true
    }

    /// Called when the request has ended, before the socket is closed.
    package func end() { self.descriptor.store(-1, ordering: .relaxed) }
}
