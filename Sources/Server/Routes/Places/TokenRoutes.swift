import Model
import Places
import Routing
import Service

/// Routes of access tokens. A change takes effect with the next request.
enum TokenRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, create, revoke]

    private static let list = Route(
        "GET", "/v1/tokens", access: .admin,
        about: .init(
            "Lists tokens without their secrets, oldest first",
            query: [.init("revoked", "Include revoked tokens", type: "boolean")], answer: "TokenList"),
        work: .read { service, call throws(Problem) in
            .json(["tokens": .array(try service.tokens(revoked: call.flag("revoked")).map(\.json))])
        })

    private static let create = Route(
        "POST", "/v1/tokens", access: .admin,
        about: .init(
            "Creates a token. Its secret is in this answer only", body: [("application/json", "NewToken")],
            answer: "CreatedToken", status: 201),
        work: .task { api, call throws(Problem) in
            let wanted = try RequestedToken(call.json())
            let created = try await call.perform { service throws(Problem) in
                let created = try service.createToken(
                    name: wanted.name, role: wanted.role, scope: wanted.scope, lifetime: wanted.lifetime)
                api.acceptTokens(of: try service.accessList())
                return created
            }
            return Response.json(created.json, status: 201).with("Cache-Control", "no-store")
                .with("Location", "/v1/tokens/\(PercentEncoding.escape(created.token.id))")
        })

    private static let revoke = Route(
        "DELETE", "/v1/tokens/{id}", access: .admin,
        about: .init("Revokes a token: it is no longer accepted, but stays in the list of revoked tokens", answer: "Token"),
        work: .task { api, call throws(Problem) in
            let id = call.id
            let token = try await call.perform { service throws(Problem) in
                let revoked = try service.revokeToken(id: id)
                api.acceptTokens(of: try service.accessList())
                return revoked
            }
            // The streams of clients are closed, so that they reconnect with their current permissions.
            api.endOpenStreams()
            return .json(token.json)
        })
}

/// A request to create a token: `{"name","role","device","devices","groups","expiresIn"}`.
private struct RequestedToken {
    var name: String
    var role: Token.Role
    /// The devices to which the token is restricted; nil for all.
    var scope: DeviceScope?
    /// In seconds.
    var lifetime: Double?

    init(_ json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .token)
        name = try fields.text("name") ?? ""
        let role = try fields.oneOf("role", Token.Role.self)
        let devices = try [fields.text("device")].compactMap { $0 } + Self.names("devices", &fields)
        let groups = try Self.names("groups", &fields)
        lifetime = try fields.number("expiresIn")
        try fields.finish()
        guard let role else {
            throw .missing("role", Phrase("admin, reader or ingest"))
        }
        self.role = role
        if !devices.isEmpty || !groups.isEmpty { scope = DeviceScope(devices: devices, groups: groups) }
        if role == .admin, let device = json["device"]?.string {
            throw .validationFailed(field: "device", value: device, reason: .adminHasAllDevices, expected: .readerOrIngest)
        }
        if let lifetime,
            let flaw = TimeSpan.flaw(
                in: lifetime, field: "expiresIn", range: TimeSpan.moreThanNone...TimeSpan.longest,
                or: .leftOutForNoExpiry)
        {
            throw flaw
        }
    }

    /// A list of names. An empty one is refused, because without any name the token would be for all devices.
    private static func names(_ field: String, _ fields: inout JSONFields) throws(Problem) -> [String] {
        let names = try fields.texts(field)
        guard names.isEmpty, fields.value(field) != nil else { return names }
        throw .validationFailed(
            field: field, value: "[]", reason: .empty, expected: Phrase("at least one name, or leave it out for all devices"))
    }
}
