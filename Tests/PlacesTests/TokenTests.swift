import Model
import Secrets
import ServiceTestSupport
import TestSupport
import Testing

@testable import Places

@Suite("Tokens")
struct TokenTests {
    static let rights: [(Token.Role, DeviceScope?)] = [
        (.admin, nil), (.reader, nil), (.ingest, nil), (.ingest, DeviceScope(devices: ["van-7"])),
        (.reader, DeviceScope(devices: ["van-7"], groups: ["family"])),
    ]

    @Test("A token is accepted by its secret, listed without it, and refused after it is revoked", arguments: rights)
    func life(_ role: Token.Role, _ scope: DeviceScope?) throws {
        let bench = try Workbench()
        let now = TestClock().now()
        #expect(try bench.service.accessList().isOpen)
        let created = try bench.service.createToken(name: "Van 7", role: role, scope: scope, lifetime: 3600)
        let (token, secret) = (created.token, created.secret)
        #expect(token.role == role && token.scope == scope && token.createdAt == now && token.expiresAt == now + 3600)
        #expect(try bench.service.tokens() == [token])
        #expect(!token.json.description.contains(secret))
        #expect(try Token.shape.decode(token.json) == token)
        #expect(throws: JSONMismatch.self, "the role is missing") { try Token.shape.decode(["id": "a", "name": "a"]) }
        #expect(try CreatedToken.shape.decode(created.json).token == token)
        let list = try bench.service.accessList()
        #expect(!list.isOpen)
        #expect(list.check(secret, at: now) == .good(token))

        let revoked = try bench.service.revokeToken(id: token.id)
        #expect(revoked.revokedAt == now)
        #expect(try bench.service.revokeToken(id: token.id) == revoked)
        #expect(try bench.service.tokens().isEmpty)
        #expect(try bench.service.tokens(revoked: true) == [revoked])
        let after = try bench.service.accessList()
        #expect(after.check(secret, at: now) == .unknown)
        #expect(!after.isOpen, "revoking the last token must not let everybody in")
    }

    @Test("A secret that differs in anything is unknown")
    func otherSecrets() throws {
        let bench = try Workbench()
        let secret = try bench.service.createToken(name: "a", role: .admin).secret
        let list = try bench.service.accessList()
        let digest = Digest(of: secret).hexadecimal
        for other in ["", "picket_", String(secret.dropLast()), secret + " ", secret + "A", secret.uppercased(), digest] {
            #expect(list.check(other, at: .latest) == .unknown, "\(other)")
        }
        #expect(list.check(secret, at: .latest) != .unknown)
    }

    @Test("A token expires at its time, and its holder is notified")
    func expiry() throws {
        let bench = try Workbench()
        let created = try bench.service.createToken(name: "Van", role: .reader, lifetime: 60)
        let (token, secret) = (created.token, created.secret)
        let list = try bench.service.accessList()
        let end = try #require(token.expiresAt)
        #expect(list.check(secret, at: end + -0.001) == .good(token))
        #expect(list.check(secret, at: end) == .expired(token))
        #expect(throws: Problem.sessionExpired(name: "Van")) { try list.token(secret, at: end) }
        #expect(throws: Problem.unauthorized(details: .tokenUnknown)) { try list.token("x", at: end) }
        #expect(try list.token(secret, at: token.createdAt) == token)
    }

    @Test("The role decides what a token may do")
    func permissions() {
        let table: [(Token.Role, read: Bool, change: Bool, report: Bool)] = [
            (.admin, true, true, true), (.reader, true, false, false), (.ingest, false, false, true),
        ]
        for (role, read, change, report) in table {
            #expect(role.mayRead == read && role.mayChange == change && role.mayReport == report)
        }
    }

    @Test("A token can belong to the running service alone, which stays open")
    func admitted() {
        var list = AccessList([])
        let token = Token(id: "local", name: "commands", role: .admin, createdAt: .earliest)
        list.addToken(token, secret: "picket_x")
        #expect(list.isOpen)
        #expect(list.check("picket_x", at: .latest) == .good(token))
    }

    @Test("A token with an invalid name or device is refused")
    func flaws() throws {
        let bench = try Workbench()
        let (noName, noGroup) = (DeviceScope(devices: [""]), DeviceScope(devices: [], groups: [""]))
        for (name, role, scope) in [
            ("", .admin, nil), (String(repeating: "x", count: 121), .admin, nil), ("a\nb", .reader, nil), ("a", .ingest, noName),
            ("a", .reader, noGroup), ("a", .admin, DeviceScope(devices: ["van-7"])),
        ] as [(String, Token.Role, DeviceScope?)] {
            #expect(throws: Problem.self) { try bench.service.createToken(name: name, role: role, scope: scope) }
        }
        #expect(try bench.service.tokens(revoked: true).isEmpty)
    }

    @Test("A token is found by its ID, and a search by name gives the ID")
    func notFound() throws {
        let bench = try Workbench()
        let token = try bench.service.createToken(name: "anna", role: .admin).token
        #expect(throws: Problem.notFound(kind: .token, id: "anna", similar: [token.id])) {
            try bench.service.revokeToken(id: "anna")
        }
        #expect(throws: Problem.notFound(kind: .token, id: "nobody-at-all", similar: [])) {
            try bench.service.revokeToken(id: "nobody-at-all")
        }
    }
}
