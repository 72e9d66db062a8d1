import Delivery
import Foundation
import Model
import Settings

/// The address at which phones reach the service.
package struct PhoneAddress: Hashable, Sendable {
    /// The URL without a trailing slash.
    var url: String
    /// The problems that prevent phones from connecting, or make the connection insecure.
    var problems: [Problem]

    /// - Parameters:
    /// - port: The actual port if the settings let the operating system select one.
    ///   - ownAddress: Returns this machine's address in its network. Used if the service listens on all addresses.
    package init(_ settings: Settings, port: Int? = nil, ownAddress: () -> String? = { Self.ownAddresses().first }) {
        var listen = settings.listen
        if let port { listen.port = port }
        if listen.host == "0.0.0.0" || listen.host == "::", let own = ownAddress() { listen.host = own }
        url = settings.publicURL ?? "\(settings.tls == nil ? "http" : "https")://\(listen)"
        let host = WebAddress.host(of: url)
        let isLoopback = ListenAddress(host: host, port: 0).isLoopback
        if isLoopback || host == "0.0.0.0" || host == "::" {
            problems = [.unreachableByPhones(address: url)]
        } else {
            problems = url.lowercased().hasPrefix("https:") ? [] : [.insecureTransport(address: url)]
        }
    }

    /// The addresses of this machine that are neither loopback nor link-local addresses, IPv4 before IPv6. Empty without a network.
    package static func ownAddresses() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [String] = []
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let address = entry.ifa_addr,
                entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
            else { continue }
            let isIPv4 = Int32(address.pointee.sa_family) == AF_INET
            let size = isIPv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Link-local addresses: 169.254.0.0/16 and fe80::/10 (RFC 3927, RFC 4291). The latter have a zone after a percent sign.
            if host.hasPrefix("169.254.") || host.contains("%") { continue }
            found.append(host)
        }
        return found.filter { !$0.contains(":") } + found.filter { $0.contains(":") }
    }
}
