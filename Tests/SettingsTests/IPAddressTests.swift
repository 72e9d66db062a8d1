import Settings
import TestSupport
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "Loopback addresses are recognized",
        arguments: [
            ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("localhost:1", true), ("LOCALHOST:1", true),
            ("[::ffff:127.0.0.1]:1", true), ("0.0.0.0:1", false), ("[::]:1", false), ("127.example.org:1", false),
            ("192.168.0.1:1", false), ("localhost.example.org:1", false), ("[::2]:1", false),
        ])
    func loopback(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(ListenAddress(text)).isLoopback == isLoopback)
    }

    @Test("A listen address is written as it was read", arguments: ["127.0.0.1:7575", "[::1]:80", "localhost:0"])
    func written(_ text: String) {
        #expect(ListenAddress(text)?.description == text)
    }

    @Test(
        "A range contains the addresses with its leading bits",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.6", false), ("192.0.2.128/25", "192.0.2.127", false),
            ("192.0.2.128/25", "192.0.2.200", true), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "1.2.3.4", true), ("2001:db8::/32", "2001:db8:1::5", true), ("2001:db8::/32", "2001:db9::", false),
            ("2001:db8::/65", "2001:db8::7fff:0:0:1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
            ("::1", "::1", true), ("::1/128", "::2", false), ("fe80::/64", "fe80::1:2:3:4", true),
            ("fe80::/64", "fe80:0:0:1::", false),
        ])
    func ranges(_ range: String, _ address: String, _ isIn: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        "An invalid range gives nil",
        arguments: [
            "", "10.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/+8", "host", "10.0.0.0/8/8", "[::1]", "fe80::1%eth0",
        ])
    func none(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test("A range of any length contains its address, and an address with another leading bit is outside")
    func bits() throws {
        var random = SeededRandom(seed: 20_260_501)
        for _ in 0..<500 {
            let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            let count = Int.random(in: 1...32, using: &random)
            let flipped = Int.random(in: 0..<32, using: &random)
            var other = bytes
            other[flipped / 8] ^= 0x80 >> (flipped % 8)
            func text(_ bytes: [UInt8]) -> String { bytes.map(String.init).joined(separator: ".") }
            let range = try #require(AddressRange("\(text(bytes))/\(count)"))
            #expect(range.contains(try #require(IPAddress(text(bytes)))), "seed \(random.seed)")
            #expect(
                range.contains(try #require(IPAddress(text(other)))) == (flipped >= count),
                "seed \(random.seed), \(text(bytes))/\(count)")
        }
    }
}
