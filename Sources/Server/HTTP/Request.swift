import CMicrohttpd
import Foundation
import Model
import Service
import Settings

/// The head of a request: its method, target and headers.
///
/// The headers can only be read on the HTTP thread that handles the request.
@safe struct Request: ~Copyable {
    let method: String
    let target: Target
    private let connection: OpaquePointer

    init(method: String, target: Target, connection: OpaquePointer) {
        self.method = method
        self.target = target
        unsafe self.connection = connection
    }

    /// The value of a header, whose name is case-insensitive; nil when it is missing.
    func header(_ name: StaticString) -> String? {
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) { bytes in
            guard let value = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, bytes) else { return nil }
            return unsafe String(cString: value)
        }
    }

    /// Whether the head specifies the end of the body more than once.
    var isAmbiguous: Bool {
        var count = 0
        let add: MHD_KeyValueIterator = { count, _, name, _ in
            guard let count = unsafe count, let name = unsafe name else { return .YES }
            let isLength = unsafe strcasecmp(name, "Content-Length") == 0 || strcasecmp(name, "Transfer-Encoding") == 0
            if isLength { unsafe count.assumingMemoryBound(to: Int.self).pointee += 1 }
            return .YES
        }
        unsafe withUnsafeMutablePointer(to: &count) { _ = unsafe MHD_get_connection_values(connection, .HEADER_KIND, add, $0) }
        return count > 1
    }

    /// The length of the body in bytes; nil when it is not given.
    var contentLength: Int? { header("Content-Length").flatMap { Int($0) } }

    /// The language for texts: the first one in `Accept-Language` (RFC 9110, 12.5.4) that is available, else English.
    var language: Language {
        guard let header = header("Accept-Language") else { return .english }
        return header.split(separator: ",").lazy.compactMap { entry in
            Language(tag: String(entry.prefix { $0 != ";" }.filter { $0 != " " }))
        }.first ?? .english
    }

    /// The numeric IP address of the client. If the peer is a trusted proxy, this is the last address in `X-Forwarded-For` that is not a
    /// trusted proxy.
    func client(trusting proxies: [AddressRange]) -> String {
        let peer = remoteAddress
        func isTrusted(_ text: String) -> Bool {
            IPAddress(text).map { address in proxies.contains { $0.contains(address) } } ?? false
        }
        guard isTrusted(peer), let header = header("X-Forwarded-For") else { return peer }
        let hops = header.split(separator: ",").map { $0.filter { $0 != " " } }
        return hops.last { !isTrusted($0) } ?? hops.first ?? peer
    }

    /// The numeric IP address of the peer; empty when unknown.
    var remoteAddress: String {
        guard let info = unsafe picket_mhd_info(connection, .CONNECTION_INFO_CLIENT_ADDRESS),
            let address = unsafe info.pointee.client_addr
        else { return "" }
        return unsafe SocketAddress.text(address)
    }
}
