import Foundation
import Routing
import Settings
import Testing

@testable import HTTPServer

@Suite("Addresses of clients behind proxies")
struct ForwardedAddressTests {
    @Test(
        "The last address of all lines that is not of a trusted proxy counts",
        arguments: [
            (["198.51.100.7"], "198.51.100.7"), (["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            // The client has sent the first line, and the proxy has added another one.
            (["1.1.1.1", "198.51.100.7"], "198.51.100.7"), (["1.1.1.1", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            (["1.1.1.1", "2.2.2.2", "198.51.100.7", "10.0.0.2"], "198.51.100.7"), ([], "10.0.0.1"),
            (["10.0.0.3", "10.0.0.2"], "10.0.0.3"),
        ])
    func lines(_ lines: [String], expected: String) throws {
        var headers = Request.Headers()
        for line in lines { headers.append(.xForwardedFor, line) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("10.0.0.1")
        let peer = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) }
        }
        let request = Request(method: "GET", target: Target("/"), headers: headers, bodyLength: .none, peer: peer)
        #expect(request.client(trusting: [try #require(AddressRange("10.0.0.0/8"))]) == expected)
        #expect(request.client(trusting: []) == "10.0.0.1")
    }
}
