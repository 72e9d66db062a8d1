import Model
import Routing
import Secrets

/// Tokens for clients that cannot send headers, such as `EventSource` in browsers. Such a token is part of an address, which may end up in
/// logs and histories, so it only opens streams, and only for a short time.
///
/// A stream token is the id of the token that it was made for, the time at which it ends, and a code that only the service can compute.
/// Stream tokens are not stored. They have the rights of the token that they were made for, and end with it.
struct StreamTokens: Sendable {
    /// Seconds in which a stream can be opened with a stream token.
    static let lifetime = 120.0
    private static let prefix = "picket-stream_"

    private let secret: String

    /// - Parameter secret: A secret that is stored with the store.
    init(secret: String) { self.secret = secret }

    /// A stream token.
    ///
    /// - Parameters:
    ///   - id: The id of the token that it is made for; empty for a client without a token.
    ///   - tokenEnd: When that token expires; nil for never.
    func make(forToken id: String, until tokenEnd: Instant?, at now: Instant) -> (token: String, expiresAt: Instant) {
        let expiresAt = min(now + Self.lifetime, tokenEnd ?? .latest)
        let claim = "\(id).\(expiresAt.milliseconds)"
        return ("\(Self.prefix)\(claim).\(signature(of: claim))", expiresAt)
    }

    /// The id of the token that a stream token was made for.
    ///
    /// - Throws: `Problem.unauthorized`.
    func tokenID(in text: String, at now: Instant) throws(Problem) -> String {
        // The id of a token contains no dot.
        let fields = text.dropFirst(Self.prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard text.hasPrefix(Self.prefix), fields.count == 3, let end = Int64(fields[1]),
            Digest(of: String(fields[2])) == Digest(of: signature(of: "\(fields[0]).\(fields[1])"))
        else {
            throw .unauthorized(
                details: Phrase(
                    "the field '\(Target.streamTokenField)' contains no stream token; create one with POST /v1/stream-tokens"))
        }
        guard now < Instant(milliseconds: end) else {
            throw .unauthorized(details: Phrase("the stream token has expired; create another one with POST /v1/stream-tokens"))
        }
        return String(fields[0])
    }

    private func signature(of claim: String) -> String { MessageSignature.hexadecimal(of: "stream \(claim)", secret: secret) }
}
