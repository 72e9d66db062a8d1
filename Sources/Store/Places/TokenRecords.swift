import Model
import SQLite

extension PicketStore {
    /// A token with the SHA-256 digest of its secret in hexadecimal.
    package struct StoredToken: Sendable {
        package var token: Token
        package var digest: String

        package init(_ token: Token, digest: String) {
            self.token = token
            self.digest = digest
        }
    }

    /// All tokens, including expired and revoked ones, the oldest first.
    package func tokens() throws(Problem) -> [StoredToken] {
        let statement = try attempt { () throws(SQLiteError) in
            try connection.uncachedStatement(
                "SELECT \(TokenRow.columns) FROM token ORDER BY made_at, id")
        }
        var found: [StoredToken] = []
        while let row = try next(TokenRow.self, of: statement) {
            guard let role = Token.Role(rawValue: row.role) else { throw damaged("a token has the role '\(row.role)'") }
            let token = Token(
                id: row.id, name: row.name, role: role, scope: try scope(of: row), madeAt: row.madeAt, expiresAt: row.expiresAt,
                revokedAt: row.revokedAt)
            found.append(StoredToken(token, digest: row.digest))
        }
        return found
    }

    private func scope(of row: TokenRow) throws(Problem) -> DeviceScope? {
        if row.devices == nil, row.groups == nil { return row.device.map { DeviceScope(devices: [$0]) } }
        return DeviceScope(devices: try list(row.devices), groups: try list(row.groups))
    }

    private struct TokenRow: Row {
        static let columns = "id, name, role, device, devices, groups, made_at, expires_at, revoked_at, hash"

        var id: String
        var name: String
        var role: String
        /// The only device of the token, if its scope is nothing else.
        var device: String?
        /// JSON lists. When one of them is set, the token is restricted, also when both lists are empty.
        var devices: String?
        var groups: String?
        var madeAt: Instant
        var expiresAt: Instant?
        var revokedAt: Instant?
        var digest: String

        init(_ row: inout ColumnReader) {
            id = row.next()
            name = row.next()
            role = row.next()
            device = row.next()
            devices = row.next()
            groups = row.next()
            madeAt = row.next()
            expiresAt = row.next()
            revokedAt = row.next()
            digest = row.next()
        }
    }

    /// Adds a token. Its id must be unused.
    package func add(_ stored: StoredToken) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(
                """
                INSERT INTO token (id, name, role, device, made_at, expires_at, revoked_at, hash, devices, groups)
                VALUES (?,?,?,?,?,?,?,?,?,?)
                """)
            statement.bind(1, stored.token.id)
            statement.bind(2, stored.token.name)
            statement.bind(3, stored.token.role.rawValue)
            let scope = stored.token.scope
            let only = scope?.onlyDevice
            statement.bind(4, only)
            statement.bind(5, stored.token.createdAt.milliseconds)
            statement.bind(6, stored.token.expiresAt?.milliseconds)
            statement.bind(7, stored.token.revokedAt?.milliseconds)
            statement.bind(8, stored.digest)
            statement.bind(9, only == nil ? scope.map { Self.jsonList($0.devices) } : nil)
            statement.bind(10, only == nil ? scope.map { Self.jsonList($0.groups) } : nil)
            try statement.run()
        }
    }

    /// Marks a token as revoked and deletes the preferences saved for it.
    package func revokeToken(id: String, at now: Instant) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement("UPDATE token SET revoked_at = ? WHERE id = ?")
            statement.bind(1, now.milliseconds)
            statement.bind(2, id)
            try statement.run()
            let preferences = try connection.statement("DELETE FROM preference WHERE token = ?")
            preferences.bind(1, id)
            try preferences.run()
        }
    }
}
