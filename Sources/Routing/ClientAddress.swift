import Settings

/// The part of an IP address that stands for one client: the whole address of IPv4, and of IPv6 the prefix of 64 bits that one client
/// usually has for itself (RFC 6177).
package struct ClientAddress: Hashable, Sendable {
    private let bytes: UInt64
    private let isIPv4: Bool

    /// - Parameter address: A numeric IP address.
    /// - Returns: Nil for another text.
    package init?(_ address: String) {
        guard let address = IPAddress(address) else { return nil }
        self.init(high: address.high, low: address.low)
    }

    /// A name that no other client has.
    package var name: String { (isIPv4 ? "IPv4 " : "IPv6 ") + String(bytes, radix: 16) }

    /// The client at an IPv6 address with these halves, big-endian.
    package init(high: UInt64, low: UInt64) {
        // An IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2).
        isIPv4 = high == 0 && low >> 32 == 0xFFFF
        bytes = isIPv4 ? low : high
    }
}
