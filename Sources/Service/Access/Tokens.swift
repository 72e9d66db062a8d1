import Model
import Secrets
import Store

extension Queries {
    /// The tokens, the oldest first.
    ///
    /// - Parameter revoked: Whether those that were taken back are among them.
    public func tokens(revoked: Bool = false) throws(Problem) -> [Token] {
        try store.tokens().map(\.token).filter { revoked || $0.revokedAt == nil }
    }

    /// Who may talk to a service on this store, as of now.
    public func accessList() throws(Problem) -> AccessList {
        var made: [(token: Token, digest: Digest)] = []
        for stored in try store.tokens() {
            guard let digest = Digest(hexadecimal: stored.digest) else {
                throw .storeCorrupt(path: directory.store, details: "the token \(stored.token.id) has no digest")
            }
            made.append((stored.token, digest))
        }
        return AccessList(made)
    }
}

extension ServiceWriter {
    /// Makes a token.
    ///
    /// - Parameter lifetime: Seconds until it expires; nil: never.
    /// - Returns: The token, and its secret, which cannot be had again: only its digest is kept.
    public func createToken(
        name: String, role: Token.Role, lifetime: Double? = nil
    ) throws(Problem) -> (token: Token, secret: String) {
        try store.transaction { () throws(Problem) in try addToken(name: name, role: role, lifetime: lifetime) }
    }

    /// Makes a token, as `createToken(name:role:lifetime:)`. To be called within a transaction.
    func addToken(
        name: String, role: Token.Role, lifetime: Double? = nil
    ) throws(Problem) -> (token: Token, secret: String) {
        let now = clock.now()
        let secret = Secret.token()
        let taken = Set(try store.tokens().map(\.token.id))
        var id = Secret.name()
        while taken.contains(id) { id = Secret.name() }
        let token = Token(id: id, name: name, role: role, madeAt: now, expiresAt: lifetime.map { now + $0 })
        if let flaw = token.flaw { throw flaw }
        try store.add(RegionStore.StoredToken(token, digest: Digest(of: secret).hexadecimal))
        return (token, secret)
    }

    /// Takes a token back: from now on it opens nothing. One that was taken back before stays as it is.
    @discardableResult
    public func revokeToken(id: String) throws(Problem) -> Token {
        try store.transaction { () throws(Problem) in
            let tokens = try store.tokens().map(\.token)
            guard var token = tokens.first(where: { $0.id == id }) else {
                // Who gives a name where an id is wanted is told the ids.
                let named = tokens.filter { $0.name == id && $0.revokedAt == nil }.map(\.id)
                throw .notFound(
                    kind: "token", id: id, similar: named.isEmpty ? Suggestions.similar(to: id, among: tokens.map(\.id)) : named)
            }
            if token.revokedAt != nil { return token }
            token.revokedAt = clock.now()
            try store.revokeToken(id: id, at: clock.now())
            return token
        }
    }
}
