import CCurl
import Foundation

/// Decides which addresses belong to the public Internet.
@safe package enum PublicAddress {
    /// Whether an address is public: not multicast, and not in IANA's registries of special-purpose addresses that are not globally
    /// reachable (RFC 6890 and its updates).
    static func isPublic(_ address: UnsafePointer<sockaddr>, _ length: UInt32) -> Bool {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET where length >= UInt32(MemoryLayout<sockaddr_in>.size):
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe isPublic(v4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6 where length >= UInt32(MemoryLayout<sockaddr_in6>.size):
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
                unsafe withUnsafeBytes(of: six.pointee.sin6_addr) { unsafe isPublic(v6: Array($0)) }
            }
        default: return false
        }
    }

    /// Whether a host is certainly private without a DNS query: a private IP address or a name for this machine. Other names are checked
    /// when their address is connected to.
    package static func isPrivate(host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, host, &four) == 1 { return !isPublic(v4: UInt32(bigEndian: four.s_addr)) }
        if unsafe inet_pton(AF_INET6, host, &six) == 1 {
            return unsafe withUnsafeBytes(of: six) { unsafe !isPublic(v6: Array($0)) }
        }
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private static let privateV4: [(first: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
        (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    static func isPublic(v4 address: UInt32) -> Bool {
        !privateV4.contains { (address ^ $0.first) >> (32 - $0.bits) == 0 }
    }

    static func isPublic(v6 bytes: [UInt8]) -> Bool {
        func v4(_ start: Int) -> Bool { isPublic(v4: bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
        // Addresses that embed an IPv4 address: mapped (RFC 4291), translated (RFC 6052), 6to4 (RFC 3056).
        if bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] { return v4(12) }
        if bytes[..<12] == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] { return v4(12) }
        if bytes[..<2] == [0x20, 0x02] { return v4(2) }
        // Of the rest, only 2000::/3 is assigned. It contains ranges for documentation and protocols.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        if bytes[..<4] == [0x20, 0x01, 0x0D, 0xB8] || bytes[..<3] == [0x3F, 0xFF, 0x00] { return false }
        return !(bytes[..<2] == [0x20, 0x01] && bytes[2] < 0x02)
    }
}
