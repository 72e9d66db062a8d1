import Foundation
import Synchronization

/// The sockets of a loop's connections. Another thread can end what waits for them, because libcurl blocks in some places: after the text of
/// a mail, and when it ends a connection to a mail server.
final class OpenSockets: Sendable {
    private struct State {
        /// The inode of each socket, by descriptor. libcurl closes sockets itself, and the number of a closed one may be used again.
        var inodes: [Int32: ino_t] = [:]
        var isShut = false
    }

    private let state = Mutex(State())

    func add(_ socket: Int32) {
        let inode = Self.inode(of: socket)
        let isShut = state.withLock { state in
            state.inodes[socket] = inode
            return state.isShut
        }
        if isShut { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Ends all connections, and each one that is added later.
    func shutAll() {
        let inodes = state.withLock { state in
            state.isShut = true
            return state.inodes
        }
        for (socket, inode) in inodes where Self.inode(of: socket) == inode { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private static func inode(of socket: Int32) -> ino_t? {
        var status = stat()
        return unsafe fstat(socket, &status) == 0 ? status.st_ino : nil
    }
}
