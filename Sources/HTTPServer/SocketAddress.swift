import Foundation

/// A copy of a socket's address.
struct SocketAddress: Sendable {
    /// The bytes of a `sockaddr_in` or a `sockaddr_in6`.
    private var storage: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    /// 0 when the address is unknown.
    private let length: Int

    /// An unknown address.
    init() { length = 0 }

    init(_ address: UnsafePointer<sockaddr>) {
        let isIPv6 = unsafe address.pointee.sa_family == sa_family_t(AF_INET6)
        let length = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        self.length = length
        unsafe withUnsafeMutableBytes(of: &storage) { storage in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
        }
    }

    /// The halves of the address as one of IPv6, big-endian; an address of IPv4 is IPv4-mapped (RFC 4291, 2.5.5.2). Nil when it is unknown.
    var ipAddress: (high: UInt64, low: UInt64)? {
        guard length > 0 else { return nil }
        return unsafe withUnsafeBytes(of: storage) { storage in
            if length < MemoryLayout<sockaddr_in6>.size {
                let address = unsafe storage.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
                return (0, 0xFFFF << 32 | UInt64(UInt32(bigEndian: address)))
            }
            let start = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8
            return unsafe (
                UInt64(bigEndian: storage.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
                UInt64(bigEndian: storage.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
            )
        }
    }

    /// The numeric IP address without the port; empty when it is unknown.
    var text: String {
        guard length > 0 else { return "" }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = unsafe withUnsafeBytes(of: storage) { storage in
            let address = unsafe storage.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return unsafe getnameinfo(
                address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        }
        guard code == 0 else { return "" }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
