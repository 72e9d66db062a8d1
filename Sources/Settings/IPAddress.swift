import Foundation

/// A numeric IP address. IPv4 addresses are stored as IPv4-mapped IPv6 addresses (`::ffff:0:0/96`; RFC 4291, section 2.5.5.2), so that an
/// address is equal to itself whichever form a socket reports.
package struct IPAddress: Hashable, Sendable {
    /// The first eight bytes (`high`) and the last eight bytes (`low`), big-endian.
    let high: UInt64
    let low: UInt64

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

/// The address on which a service listens, such as `127.0.0.1:7575`, `[::1]:7575` or `localhost:7575`.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host name or a numeric address (IPv6 without brackets).
    package var host: String
    /// From 0 to 65,535. 0 selects a free port.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT` with IPv6 addresses in brackets; nil if the text is anything else.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.count <= 5, digits.utf8.allSatisfy({ $0 &- 48 <= 9 }), let port = Int(digits),
            port <= 65_535
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":"), IPAddress(host) != nil else { return nil }
        } else if host.isEmpty || !host.utf8.allSatisfy({ Self.isPartOfName($0) }) {
            return nil
        }
        self.init(host: host, port: port)
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether only this machine can connect. `localhost` is the only host name that is known to mean this machine.
    package var isLoopback: Bool { IPAddress(host)?.isLoopback ?? (host.lowercased() == "localhost") }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
