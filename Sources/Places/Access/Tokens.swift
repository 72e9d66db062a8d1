import Core
import Model
import Secrets
import Store

extension Queries {
    /// The tokens, oldest first.
    ///
    /// - Parameter revoked: Whether revoked tokens are included.
    package func tokens(revoked: Bool = false) throws(Problem) -> [Token] {
        try store.tokens().map(\.token).filter { revoked || $0.revokedAt == nil }
    }

    /// The tokens that currently give access to a service with this store.
    package func accessList() throws(Problem) -> AccessList {
        var found: [(token: Token, digest: Digest)] = []
        for stored in try store.tokens() {
            guard let digest = Digest(hexadecimal: stored.digest) else {
                throw .storeCorrupt(path: directory.storePath, details: "the token \(stored.token.id) has no digest")
            }
            found.append((stored.token, digest))
        }
        return AccessList(found)
    }
}

extension ServiceWriter {
    /// Creates a token.
    ///
    /// - Parameters:
    ///   - scope: The devices to which the token is restricted; nil for all.
    ///   - lifetime: Seconds until the token expires; nil for never.
    /// - Returns: The token and its secret. Only the digest of the secret is stored, so the secret cannot be read later.
    package func createToken(
        name: String, role: Token.Role, scope: DeviceScope? = nil, lifetime: Double? = nil
    ) throws(Problem) -> CreatedToken {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try createToken(name: name, role: role, scope: scope, lifetime: lifetime, in: transaction)
        }
    }

    /// Creates a token like `createToken(name:role:scope:lifetime:)`, within a transaction.
    func createToken(
        name: String, role: Token.Role, scope: DeviceScope? = nil, lifetime: Double? = nil, in transaction: borrowing Transaction
    ) throws(Problem) -> CreatedToken {
        let now = clock.now()
        let secret = Secret.token()
        let taken = Set(try store.tokens().map(\.token.id))
        var id = Secret.name()
        while taken.contains(id) { id = Secret.name() }
        let token = Token(
            id: id, name: name, role: role, scope: scope, createdAt: now, expiresAt: lifetime.map { now + $0 })
        if let flaw = token.flaw { throw flaw }
        try store.add(PicketStore.StoredToken(token, digest: Digest(of: secret).hexadecimal), in: transaction)
        return CreatedToken(token: token, secret: secret)
    }

    /// Revokes a token, so that it no longer gives access. Does nothing if the token is already revoked.
    @discardableResult
    package func revokeToken(id: String) throws(Problem) -> Token {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let tokens = try store.tokens().map(\.token)
            guard var token = tokens.first(where: { $0.id == id }) else {
                // Ids are random, so a similar id is another token. If a name was given, the problem has the ids of the tokens with this
                // name.
                throw .notFound(
                    kind: .token, id: id, similar: tokens.filter { $0.name == id && $0.revokedAt == nil }.map(\.id))
            }
            if token.revokedAt != nil { return token }
            token.revokedAt = clock.now()
            try store.revokeToken(id: id, at: clock.now(), in: transaction)
            return token
        }
    }
}
