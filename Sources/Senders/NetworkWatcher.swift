import CNetlink
import Foundation
import Model
import Workers

/// Detects that the machine's network is back: a new address of global scope, or a new default route (rtnetlink(7)).
package final class NetworkWatcher: Sendable {
    private let socket: Int32
    /// The two ends of a pipe. Closing the second end stops the thread.
    private let ending: [Int32]
    private let thread: WorkThreads

    /// - Parameter returned: Called on the watcher's thread.
    /// - Throws: `Problem.unknown` if the system does not allow watching the network, as in some containers.
    package init(_ returned: @escaping @Sendable () -> Void) throws(Problem) {
        func failure() -> Problem {
            .unknown(
                details: .saying(Phrase("changes of the network cannot be observed"), unsafe String(cString: strerror(errno))))
        }
        let socket = Foundation.socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), NETLINK_ROUTE)
        guard socket >= 0 else { throw failure() }
        var ending: [Int32] = [-1, -1]
        let isPiped = unsafe pipe(&ending) == 0
        for end in ending where isPiped { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
        let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(socket, $0, length) == 0 }
        }
        guard isPiped, isBound else {
            let problem = failure()
            for descriptor in [socket] + ending where descriptor >= 0 { close(descriptor) }
            throw problem
        }
        (self.socket, self.ending) = (socket, ending)
        let end = ending[0]
        thread = WorkThreads("picket network") {
            var buffer = [UInt8](repeating: 0, count: 32_768)
            var waited = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                guard unsafe poll(&waited, 2, -1) > 0 else { continue }
                if waited[1].revents != 0 { return }
                let count = unsafe recv(socket, &buffer, buffer.count, 0)
                // ENOBUFS means that notifications were lost, among which may be the expected one.
                if count < 0 ? errno == ENOBUFS : Self.announcesReturn(buffer[..<count]) { returned() }
            }
        }
    }

    /// Stops the watcher and waits for its thread.
    package func stop() {
        close(ending[1])
        thread.join()
        close(socket)
        close(ending[0])
    }

    /// Whether a message in a netlink datagram says that the network is back.
    static func announcesReturn(_ bytes: ArraySlice<UInt8>) -> Bool {
        // Lengths are rounded up to 4 bytes (netlink(3), NLMSG_ALIGN). Numbers are in the machine's byte order.
        let head = MemoryLayout<nlmsghdr>.size
        var rest = bytes
        while rest.count >= head {
            let header = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: nlmsghdr.self) }
            let length = Int(header.nlmsg_len)
            guard length >= head, length <= rest.count else { return false }
            if announcesReturn(Int32(header.nlmsg_type), rest.dropFirst(head).prefix(length - head)) { return true }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return false
    }

    private static func announcesReturn(_ type: Int32, _ body: ArraySlice<UInt8>) -> Bool {
        switch type {
        case Int32(RTM_NEWADDR):
            guard body.count >= MemoryLayout<ifaddrmsg>.size else { return false }
            let address = unsafe body.withUnsafeBytes { unsafe $0.loadUnaligned(as: ifaddrmsg.self) }
            return address.ifa_scope == UInt8(RT_SCOPE_UNIVERSE.rawValue)
        case Int32(RTM_NEWROUTE):
            guard body.count >= MemoryLayout<rtmsg>.size else { return false }
            let route = unsafe body.withUnsafeBytes { unsafe $0.loadUnaligned(as: rtmsg.self) }
            return route.rtm_dst_len == 0 && route.rtm_type == UInt8(RTN_UNICAST)
        default: return false
        }
    }
}
