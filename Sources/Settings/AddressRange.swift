import Foundation

/// A range of addresses in CIDR notation such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
package struct AddressRange: Hashable, Sendable {
    private let first: IPAddress
    /// The length of the prefix in bits, of 128.
    private let bits: Int

    /// Reads an address, optionally followed by `/` and the length of the prefix; nil if the text is anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let offset = address.isIPv4 && !parts[0].contains(":") ? 96 : 0
        var bits = 128
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ $0 &- 48 <= 9 }), let count = Int(parts[1]), count <= 128 - offset else {
                return nil
            }
            bits = count + offset
        }
        first = address
        self.bits = bits
    }

    package func contains(_ address: IPAddress) -> Bool {
        let highMask: UInt64 = bits >= 64 ? .max : ~(.max >> UInt64(bits))
        let lowMask: UInt64 = bits <= 64 ? 0 : bits == 128 ? .max : ~(.max >> UInt64(bits - 64))
        return (address.high ^ first.high) & highMask == 0 && (address.low ^ first.low) & lowMask == 0
    }
}

extension [AddressRange] {
    /// Whether one of the ranges has an address; false if the text is not an address.
    package func contains(address text: String) -> Bool {
        IPAddress(text).map { address in contains { $0.contains(address) } } ?? false
    }
}
