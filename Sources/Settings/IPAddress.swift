import Foundation

/// A numeric IP address. IPv4 addresses are stored as IPv4-mapped IPv6 addresses (`::ffff:0:0/96`; RFC 4291, section 2.5.5.2), so that an
/// address is equal to itself whichever form a socket reports.
package struct IPAddress: Hashable, Sendable {
    /// The first eight bytes (`high`) and the last eight bytes (`low`), big-endian.
    package let high: UInt64
    package let low: UInt64

    /// Reads an address such as `192.0.2.1` or `2001:db8::1`, without brackets and port; nil if the text is anything else.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            high = 0
            low = 0xFFFF << 32 | UInt64(UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let bytes = withUnsafeBytes(of: six) { Array($0) }
            high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
            low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        } else {
            return nil
        }
    }

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// Whether the address is on this machine: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }
}
