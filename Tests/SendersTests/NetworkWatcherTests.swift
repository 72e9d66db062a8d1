import CNetlink
import Foundation
import Testing

@testable import Senders

@Suite("Network watcher")
struct NetworkWatcherTests {
    /// A netlink message as the kernel sends it (rtnetlink(7)), followed by an attribute.
    private func message<Body>(_ type: Int, _ body: Body) -> [UInt8] {
        let attribute: [UInt8] = [8, 0, 1, 0, 192, 0, 2, 1]
        let content = withUnsafeBytes(of: body) { Array($0) } + attribute
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + content.count)
        header.nlmsg_type = UInt16(type)
        return withUnsafeBytes(of: header) { Array($0) } + content
    }

    private func address(scope: Int) -> ifaddrmsg {
        var address = ifaddrmsg()
        address.ifa_family = UInt8(AF_INET)
        address.ifa_prefixlen = 24
        address.ifa_scope = UInt8(scope)
        return address
    }

    private func route(_ bits: UInt8, type: Int) -> rtmsg {
        var route = rtmsg()
        route.rtm_family = UInt8(AF_INET)
        route.rtm_dst_len = bits
        route.rtm_type = UInt8(type)
        return route
    }

    private func announces(_ bytes: [UInt8]) -> Bool { NetworkWatcher.announcesReturn(bytes[...]) }

    @Test("A new address that others can reach and a new default route count as the network's return")
    func returned() {
        let (universe, link, host) = (0, 253, 254)
        #expect(announces(message(20, address(scope: universe))))
        #expect(!announces(message(20, address(scope: link))) && !announces(message(20, address(scope: host))))
        #expect(!announces(message(21, address(scope: universe))), "RTM_DELADDR")
        let (unicast, unreachable) = (1, 7)
        #expect(announces(message(24, route(0, type: unicast))))
        #expect(!announces(message(24, route(24, type: unicast))), "a container's network")
        #expect(!announces(message(24, route(0, type: unreachable))) && !announces(message(25, route(0, type: unicast))))
        #expect(announces(message(20, address(scope: link)) + message(24, route(0, type: unicast))), "the second of two")
    }

    @Test("A message that is cut off or has a wrong length is ignored")
    func damaged() {
        let whole = message(20, address(scope: 0))
        for count in 0..<whole.count { #expect(!announces(Array(whole[..<count]))) }
        var wrong = whole
        for length: UInt32 in [0, 15, 1000, .max] {
            withUnsafeBytes(of: length) { wrong.replaceSubrange(0..<4, with: $0) }
            #expect(!announces(wrong))
        }
    }

    @Test("A watcher watches until it is stopped")
    func stop() throws {
        for _ in 0..<20 { try NetworkWatcher {}.stop() }
    }
}
