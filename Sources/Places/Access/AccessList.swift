import Model
import Secrets
import Settings

/// The tokens that give access to the service: all tokens that are not revoked, by the digest of their secrets. It is a value: when tokens
/// change, a new list replaces it.
package struct AccessList: Sendable {
    /// The result of checking a secret.
    enum CheckResult: Hashable, Sendable {
        case good(Token)
        /// The token was valid and has expired.
        case expired(Token)
        case unknown
    }

    private var tokens: [Digest: Token] = [:]
    private var byID: [String: Token] = [:]
    /// Whether no token was ever created. In this case, a service that only this machine can reach accepts every request. Revoking the last
    /// token does not make the list open again.
    package let isOpen: Bool

    /// - Parameter all: All tokens that were ever created, including revoked ones.
    init(_ all: [(token: Token, digest: Digest)]) {
        isOpen = all.isEmpty
        for (token, digest) in all where token.revokedAt == nil { add(token, digest) }
    }

    /// Adds a token that is not in the store, such as the one with which commands access a running service.
    package mutating func addToken(_ token: Token, secret: String) { add(token, Digest(of: secret)) }

    private mutating func add(_ token: Token, _ digest: Digest) {
        tokens[digest] = token
        byID[token.id] = token
    }

    /// Whether there is a token with this id that was not revoked.
    package func hasToken(id: String) -> Bool { byID[id] != nil }

    /// The token with an id, for a client that proved its identity in another way than by the secret.
    ///
    /// - Throws: `Problem.unauthorized` if the token was revoked, `Problem.sessionExpired` if it has expired.
    package func token(id: String, at now: Instant) throws(Problem) -> Token {
        guard let token = byID[id] else { throw .unauthorized(details: Phrase("the token of this session was revoked")) }
        if token.hasExpired(at: now) { throw .sessionExpired(name: token.name) }
        return token
    }

    /// Checks a secret. The digest of the secret is looked up in a dictionary, and digests are compared in constant time, so the duration
    /// reveals nothing about existing secrets.
    func check(_ secret: String, at now: Instant) -> CheckResult {
        guard let token = tokens[Digest(of: secret)] else { return .unknown }
        return token.hasExpired(at: now) ? .expired(token) : .good(token)
    }

    /// The token with this secret.
    ///
    /// - Throws: `Problem.unauthorized` if the secret is unknown, `Problem.sessionExpired` if the token has expired.
    package func token(_ secret: String, at now: Instant) throws(Problem) -> Token {
        switch check(secret, at: now) {
        case .good(let token): return token
        case .expired(let token): throw .sessionExpired(name: token.name)
        case .unknown: throw .unauthorized(details: .tokenUnknown)
        }
    }
}

extension AccessList {
    /// The problem that everyone in the network could use the service, because no token was ever created; nil if there is a
    /// token, or if only this machine can connect. The service does not start with it.
    package func problem(with settings: Settings) -> Problem? {
        guard isOpen, !settings.listen.isLoopback || settings.publicURL != nil else { return nil }
        return .validationFailed(
            field: settings.publicURL == nil ? "listen" : "public-url", value: settings.publicURL ?? "\(settings.listen)",
            reason: .openToOthers,
            expected: Phrase(
                "a token first ('picket token create NAME --role admin'), or an address that only this machine can reach"))
    }
}
