import Model
import TestSupport
import Testing

@testable import Places
@testable import Store

@Suite("Token records")
struct TokenRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private func token(
        _ id: String, _ role: Token.Role, _ scope: DeviceScope? = nil, createdAt: Int64, expiresAt: Int64? = nil
    ) -> PicketStore.StoredToken {
        let token = Token(
            id: id, name: "token \(id)", role: role, scope: scope, createdAt: Instant(milliseconds: createdAt),
            expiresAt: expiresAt.map(Instant.init(milliseconds:)))
        return PicketStore.StoredToken(token, digest: "digest of \(id)")
    }

    /// The preferences for a token; nil for users without a token.
    private static func preferences(_ id: String?) -> JSONValue { .compact([("of", .string(id ?? "nobody"))]) }

    @Test("Tokens are read as they were added, the oldest first")
    func roundTrip() throws {
        let added = [
            token("c", .admin, createdAt: 3000),
            token("a", .ingest, DeviceScope(devices: ["anna"]), createdAt: 1000, expiresAt: 9000),
            token("b", .ingest, createdAt: 1000),
            token("d", .reader, DeviceScope(devices: ["anna", "b'o\"b"], groups: ["family"]), createdAt: 2000),
            token("e", .reader, DeviceScope(devices: [], groups: []), createdAt: 4000),
        ]
        for token in added { try store.add(token, in: Transaction()) }
        let stored = try store.tokens()
        #expect(stored.map(\.token) == ["a", "b", "d", "c", "e"].compactMap { id in added.first { $0.token.id == id }?.token })
        #expect(stored.map(\.digest) == ["a", "b", "d", "c", "e"].map { "digest of \($0)" })
    }

    @Test("A second token with the same ID is refused")
    func twice() throws {
        try store.add(token("a", .admin, createdAt: 1), in: Transaction())
        #expect(throws: Problem.self) { try store.add(token("a", .reader, createdAt: 2), in: Transaction()) }
        #expect(try store.tokens().map(\.token.role) == [.admin])
    }

    @Test("A revoked token stays known, and its preferences are removed")
    func revoked() throws {
        try store.add(token("a", .admin, createdAt: 1), in: Transaction())
        try store.add(token("b", .admin, createdAt: 2), in: Transaction())
        for id in ["a", "b", nil] { try store.save(preferences: Self.preferences(id), ofToken: id, in: Transaction()) }
        try store.revokeToken(id: "a", at: Instant(milliseconds: 5), in: Transaction())
        #expect(try store.tokens().map(\.token.revokedAt?.milliseconds) == [5, nil])
        #expect(try store.preferences(ofToken: "a") == nil)
        #expect(try store.preferences(ofToken: "b") == Self.preferences("b"))
        #expect(try store.preferences(ofToken: nil) == Self.preferences(nil))
    }
}
