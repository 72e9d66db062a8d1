import Testing

@testable import Senders

@Suite("Public addresses")
struct PublicAddressTests {
    @Test(
        "Addresses of this machine, of private networks and of no network are private",
        arguments: [
            "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "169.254.169.254", "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1", "255.255.255.255", "::", "::1",
            "fe80::1",
            "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::",
            "2001:db8::1",
            "2001::1", "3fff::1", "100::1", "localhost", "LOCALHOST", "x.localhost",
        ])
    func isPrivate(host: String) { #expect(PublicAddress.isPrivate(host: host)) }

    @Test(
        "Names and addresses of the Internet are not private",
        arguments: [
            "1.1.1.1", "9.9.9.9", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.169.0.1", "11.0.0.1",
            "223.255.255.255",
            "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::",
            "example.com",
        ])
    func isPublic(host: String) { #expect(!PublicAddress.isPrivate(host: host)) }
}
