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
            try connection.uncachedStatement("SELECT \(TokenRow.columns) FROM token ORDER BY made_at, id")
        }
        var found: [StoredToken] = []
        while let row = try next(TokenRow.self, of: statement) {
            var token = Token(id: "", name: "", role: .ingest, scope: try scope(of: row), createdAt: .earliest)
            var values = row.values[...]
            try restore(TokenRow.fields, of: &token, from: &values)
            found.append(StoredToken(token, digest: row.digest))
        }
        return found
    }

    private func scope(of row: TokenRow) throws(Problem) -> DeviceScope? {
        if row.devices == nil, row.groups == nil { return row.device.map { DeviceScope(devices: [$0]) } }
        return DeviceScope(devices: try list(row.devices), groups: try list(row.groups))
    }

    private struct TokenRow: Row {
        /// The fields besides the scope.
        static let fields = Token.fields.filter { !["device", "devices", "groups"].contains($0.name) }
        static let columns = "device, devices, groups, hash, " + fields.map(\.column).joined(separator: ", ")
        static let insertion = "INSERT INTO token (\(columns)) VALUES (?,?,?,?\(String(repeating: ",?", count: fields.count)))"

        /// The only device of the token, if its scope is nothing else.
        var device: String?
        /// JSON lists. If one of them is set, the token is restricted, even if both lists are empty.
        var devices: String?
        var groups: String?
        var digest: String
        /// Of `fields`.
        var values: [StoredValue]

        init(_ row: inout ColumnReader) {
            device = row.next()
            devices = row.next()
            groups = row.next()
            digest = row.next()
            values = Self.fields.map { _ in row.next() }
        }
    }

    /// Adds a token. Its id must be unused.
    package func add(_ stored: StoredToken) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(TokenRow.insertion)
            let scope = stored.token.scope
            let only = scope?.onlyDevice
            statement.bind(1, only)
            statement.bind(2, only == nil ? scope.map { Self.jsonList($0.devices) } : nil)
            statement.bind(3, only == nil ? scope.map { Self.jsonList($0.groups) } : nil)
            statement.bind(4, stored.digest)
            for (index, field) in TokenRow.fields.enumerated() { statement.bind(Int32(index + 5), field.stored(stored.token)) }
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
