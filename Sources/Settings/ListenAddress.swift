import Foundation

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
