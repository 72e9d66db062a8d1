import Model
import SQLite
import Store

extension PicketStore {
    /// A token with the SHA-256 digest of its secret in hexadecimal.
    struct StoredToken: Sendable {
        var token: Token
        var digest: String

        init(_ token: Token, digest: String) {
            self.token = token
            self.digest = digest
        }
    }

    /// All tokens, including expired and revoked ones, the oldest first.
    func tokens() throws(Problem) -> [StoredToken] {
        try rows("SELECT \(TokenRow.columns) FROM token ORDER BY made_at, id", as: TokenRow.self).map { row throws(Problem) in
            var token = Token(id: "", name: "", role: .ingest, scope: try scope(of: row), createdAt: .earliest)
            var values = row.values[...]
            try restore(TokenRow.fields, of: &token, from: &values)
            return StoredToken(token, digest: row.digest)
        }
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
    func add(_ stored: StoredToken, in transaction: borrowing Transaction) throws(Problem) {
        let scope = stored.token.scope
        let only = scope?.onlyDevice
        let lists = only == nil ? scope : nil
        let values: [any StatementValue] = [
            only, lists.map { Self.jsonList($0.devices) }, lists.map { Self.jsonList($0.groups) }, stored.digest,
        ]
        try attempt { () throws(SQLiteError) in
            let statement = try statement(TokenRow.insertion, in: transaction)
            statement.bind(values + TokenRow.fields.map { $0.stored(stored.token) })
            try statement.run()
        }
    }

    /// Stores the last use of a token. The device stays as it was if none is given, or one that does not exist, which may have been erased.
    func record(_ use: TokenUse, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            """
            UPDATE token SET last_used_at = ?, last_device = ifnull((SELECT id FROM device WHERE id = ? AND NOT removed), last_device)
            WHERE id = ?
            """, use.at.milliseconds, use.device, use.tokenId, in: transaction)
    }

    /// Marks a token as revoked and deletes the preferences saved for it.
    func revokeToken(id: String, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        try execute("UPDATE token SET revoked_at = ? WHERE id = ?", now.milliseconds, id, in: transaction)
        try execute("DELETE FROM preference WHERE token = ?", id, in: transaction)
    }
}
