import Model
import Service

/// The head of an authenticated request.
package struct Head: Sendable {
    /// The values of the path parameters, in order.
    package var parameters: [String]
    package var target: Target
    package var contentType: String
    /// The length of the body in bytes, when the head gives it.
    package var contentLength: Int?
    /// The only device that the request may report for, regardless of the name in the request; nil for all.
    package var onlyDevice: String? { token?.onlyDevice }
    /// The devices that exist for the client; nil for all.
    package var scope: DeviceScope? { token?.scope }
    /// The token of the request; nil when it has none.
    package var token: Token?
    /// The name of the token.
    package var tokenName: String? { token?.name }
    /// The address of the client; nil if it is unknown.
    package var address: ClientAddress?
    /// See `Request.presence`.
    package var presence: ClientPresence?
    /// Whether the request may change something, so that it is finished although its client has left.
    package var hasEffects = false
    /// When the token expires; nil for never.
    package var expiresAt: Instant?
    /// Whether the request comes from a command on this machine.
    package var isOwnCommand = false
    /// The user name in Basic credentials.
    package var user: String?
    package var ifMatch: String?
    package var ifNoneMatch: String?
    package var lastEventID: String?
    /// Whether a minimal answer is preferred: `Prefer: return=minimal` (RFC 7240, 4.2).
    package var prefersMinimal = false
    package var accept: String?
    /// Whether the answer may be compressed with gzip.
    package var acceptsGzip = false
    /// The language of texts for people.
    package var language = Language.english
    /// The headers `X-Limit-U` and `X-Limit-D`, in which OwnTracks sends its user and device.
    package var limitUser: String?
    package var limitDevice: String?

    package init(
        parameters: [String], target: Target, contentType: String, contentLength: Int?, token: Token?, address: ClientAddress?,
        presence: ClientPresence?, hasEffects: Bool, expiresAt: Instant?, isOwnCommand: Bool, user: String?
    ) {
        self.parameters = parameters
        self.target = target
        self.contentType = contentType
        self.contentLength = contentLength
        self.token = token
        self.address = address
        self.presence = presence
        self.hasEffects = hasEffects
        self.expiresAt = expiresAt
        self.isOwnCommand = isOwnCommand
        self.user = user
    }
}

extension Head {
    /// The client, for the queries of the request: its token, or else its address.
    package var client: QueryClient {
        let name = if let token { "token \(token.id)" } else { address?.name ?? "" }
        guard !hasEffects, let presence else { return QueryClient(scope: scope, name: name) }
        return QueryClient(scope: scope, name: name) { presence.hasLeft }
    }
}
