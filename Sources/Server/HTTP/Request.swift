import CMicrohttpd
import Foundation
import Model
import Service
import Settings

/// The head of a request: its method, what it is about, and its headers.
///
/// Its headers can be asked for on the HTTP thread that handles the request, and nowhere else.
@safe struct Request: ~Copyable {
    let method: String
    let target: Target
    private let connection: OpaquePointer

    init(method: String, target: Target, connection: OpaquePointer) {
        self.method = method
        self.target = target
        unsafe self.connection = connection
    }

    /// The value of a header; nil when it is not there. Names are compared without regard to case.
    func header(_ name: StaticString) -> String? {
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) { bytes in
            guard let value = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, bytes) else { return nil }
            return unsafe String(cString: value)
        }
    }

    /// Whether its head says in more than one way where its body ends.
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

    /// How long its body will be; nil when that is not said.
    var contentLength: Int? { header("Content-Length").flatMap { Int($0) } }

    /// The language for people, by `Accept-Language` (RFC 9110, 12.5.4): the first of those that Picket speaks.
    var language: Language {
        guard let header = header("Accept-Language") else { return .english }
        return header.split(separator: ",").lazy.compactMap { entry in
            Language(tag: String(entry.prefix { $0 != ";" }.filter { $0 != " " }))
        }.first ?? .english
    }

    /// The numeric address of who asks: of the other side, or, where that is a proxy that is trusted, of whom it speaks for: the last
    /// in `X-Forwarded-For` that is not one as well.
    func client(trusting proxies: [AddressRange]) -> String {
        let peer = remoteAddress
        func isTrusted(_ text: String) -> Bool {
            IPAddress(text).map { address in proxies.contains { $0.contains(address) } } ?? false
        }
        guard isTrusted(peer), let header = header("X-Forwarded-For") else { return peer }
        let hops = header.split(separator: ",").map { $0.filter { $0 != " " } }
        return hops.last { !isTrusted($0) } ?? hops.first ?? peer
    }

    /// The numeric address of the other side; empty when unknown.
    var remoteAddress: String {
        guard let info = unsafe picket_mhd_info(connection, .CONNECTION_INFO_CLIENT_ADDRESS),
            let address = unsafe info.pointee.client_addr
        else { return "" }
        return unsafe SocketAddress.text(address)
    }
}
