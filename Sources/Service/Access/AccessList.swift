import Model
import Secrets

/// Who may talk to the service: every token that is not revoked, by the digest of its secret. A value: when tokens change,
/// another takes its place.
public struct AccessList: Sendable {
    /// What a secret is worth.
    public enum Answer: Hashable, Sendable {
        case good(Token)
        /// It was good once.
        case expired(Token)
        case unknown
    }

    private var tokens: [Digest: Token] = [:]
    private var byID: [String: Token] = [:]
    /// Whether no token was ever made. Then a service that only this machine can reach lets everybody in. Revoking the last
    /// token does not open it again.
    public let isOpen: Bool

    /// - Parameter made: Every token that was ever made, revoked ones too.
    public init(_ made: [(token: Token, digest: Digest)]) {
        isOpen = made.isEmpty
        for (token, digest) in made where token.revokedAt == nil { add(token, digest) }
    }

    /// Lets one more in that no store knows, as the token by which commands talk to a running service.
    public mutating func admit(_ token: Token, secret: String) { add(token, Digest(of: secret)) }

    private mutating func add(_ token: Token, _ digest: Digest) {
        tokens[digest] = token
        byID[token.id] = token
    }

    /// The token of an id that was proven in another way than by its secret.
    ///
    /// - Throws: `Problem.unauthorized` for one that is there no more, `Problem.sessionExpired` for one that is no longer good.
    public func token(id: String, at now: Instant) throws(Problem) -> Token {
        guard let token = byID[id] else { throw .unauthorized(details: "the token of this session was taken back") }
        if token.hasExpired(at: now) { throw .sessionExpired(name: token.name) }
        return token
    }

    /// Which token a secret is. A table is asked for the secret's digest, and digests are compared in constant time, so the time
    /// that this takes tells nothing about the secrets there are.
    public func check(_ secret: String, at now: Instant) -> Answer { answer(Digest(of: secret), now) }

    /// The same for a secret as it came, in UTF-8. Allocates nothing.
    public func check(_ secret: UnsafeRawBufferPointer, at now: Instant) -> Answer { answer(Digest(of: secret), now) }

    private func answer(_ digest: Digest, _ now: Instant) -> Answer {
        guard let token = tokens[digest] else { return .unknown }
        return token.hasExpired(at: now) ? .expired(token) : .good(token)
    }

    /// The token that a secret is.
    ///
    /// - Throws: `Problem.unauthorized` for one that is unknown, `Problem.sessionExpired` for one that is no longer good.
    public func token(_ secret: String, at now: Instant) throws(Problem) -> Token {
        switch check(secret, at: now) {
        case .good(let token): return token
        case .expired(let token): throw .sessionExpired(name: token.name)
        case .unknown: throw .unauthorized(details: "the token is not known here")
        }
    }
}
