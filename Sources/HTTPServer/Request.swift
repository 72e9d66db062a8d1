import Model
import Routing
import Settings

/// The head of a request: its method, target, and the headers that the service reads.
package struct Request: Sendable {
    /// How the end of the body is specified (RFC 9112, 6.3).
    enum BodyLength: Hashable, Sendable {
        /// There is no body.
        case none
        /// By the number of its bytes.
        case bytes(Int)
        /// By the last chunk.
        case chunked
        /// More than once.
        case ambiguous
    }

    package let method: String
    package var target: Target
    package let headers: Headers
    let bodyLength: BodyLength
    /// About how many bytes the head has.
    package internal(set) var headBytes = 0
    /// The address of the peer, which may be a proxy.
    let peer: SocketAddress
    /// Whether the client still waits for the answer; nil if that is not known.
    package internal(set) var presence: ClientPresence?

    /// The length of the body in bytes; nil when it is not given.
    package var contentLength: Int? { if case .bytes(let count) = bodyLength { count } else { nil } }

    /// The language for texts: the first one in `Accept-Language` (RFC 9110, 12.5.4) that is available, else English.
    package var language: Language {
        guard let header = headers[.acceptLanguage] else { return .english }
        return header.split(separator: ",").lazy.compactMap { entry in
            Language(tag: String(entry.prefix { $0 != ";" }.filter { $0 != " " }))
        }.first ?? .english
    }

    /// The numeric IP address of the client. If the peer is a trusted proxy, this is the last address in `X-Forwarded-For` that is not a
    /// trusted proxy.
    package func client(trusting proxies: [AddressRange]) -> String {
        let peer = peer.text
        guard proxies.contains(address: peer) else { return peer }
        // Several lines are one list (RFC 9110, 5.3). The first line may come from the client, and says what the client likes.
        let hops = headers.all(.xForwardedFor).flatMap { $0.split(separator: ",") }.map { $0.filter { !$0.isWhitespace } }
        return hops.last { !proxies.contains(address: $0) } ?? hops.first ?? peer
    }
}

extension Request {
    /// The address of the client, like `client(trusting:)`; nil if it is unknown.
    package func clientAddress(trusting proxies: [AddressRange]) -> ClientAddress? {
        let address = proxies.isEmpty ? nil : ClientAddress(client(trusting: proxies))
        return address ?? ClientAddress(peer)
    }
}

extension Request {
    /// The headers that the service reads, in the order in which they were received.
    package struct Headers: Sendable {
        private var fields: [(name: HeaderName, value: String)] = []

        /// The value of a header; the first one if there are several; nil when it is missing.
        package subscript(name: HeaderName) -> String? { fields.first { $0.name == name }?.value }

        /// The values of all headers of a name, in order.
        func all(_ name: HeaderName) -> [String] { fields.filter { $0.name == name }.map(\.value) }

        mutating func append(_ name: HeaderName, _ value: String) { fields.append((name, value)) }
    }
}

extension ClientAddress {
    /// - Returns: Nil for an unknown address.
    init?(_ address: SocketAddress) {
        guard let (high, low) = address.ipAddress else { return nil }
        self.init(high: high, low: low)
    }
}
