import Model
import Service

/// Routes of access tokens. A change takes effect with the next request.
enum TokenRoutes {
    static let all: [Route] = [list, create, revoke]

    private static let list = Route(
        "GET", "/v1/tokens", access: .admin,
        about: .init(
            "The tokens without their secrets, the oldest first",
            query: [.init("revoked", "Include revoked tokens", type: "boolean")], answer: "TokenList"),
        work: .read { service, call throws(Problem) in
            .json(["tokens": .array(try service.tokens(revoked: call.flag("revoked")).map(\.json))])
        })

    private static let create = Route(
        "POST", "/v1/tokens", access: .admin,
        about: .init(
            "Makes a token. Its secret is in this answer and nowhere else", body: [("application/json", "NewToken")],
            answer: "MadeToken", status: 201),
        work: .task { api, call throws(Problem) in
            let (name, role, lifetime) = try requestedToken(call.json())
            let (token, secret) = try await api.writer.perform { service throws(Problem) in
                let made = try service.createToken(name: name, role: role, lifetime: lifetime)
                api.acceptTokens(of: try service.accessList())
                return made
            }
            return Response.json(MadeToken(token: token, secret: secret).json, status: 201).with("Cache-Control", "no-store")
                .with("Location", "/v1/tokens/\(PercentEncoding.escape(token.id))")
        })

    private static let revoke = Route(
        "DELETE", "/v1/tokens/{id}", access: .admin,
        about: .init("Takes a token back: it opens nothing from now on, and stays on record", answer: "Token"),
        work: .task { api, call throws(Problem) in
            let id = call.id
            let token = try await api.writer.perform { service throws(Problem) in
                let revoked = try service.revokeToken(id: id)
                api.acceptTokens(of: try service.accessList())
                return revoked
            }
            // The streams of clients are closed, so that they reconnect with their current permissions.
            api.streams.endOpenStreams()
            return .json(token.json)
        })

    /// Decodes `{"name","role","device","expiresIn"}`.
    private static func requestedToken(
        _ json: JSONValue
    ) throws(Problem) -> (name: String, role: Token.Role, lifetime: Double?) {
        var fields = try JSONFields(json, of: .token)
        let name = try fields.text("name") ?? ""
        let role = try fields.oneOf("role", Token.Role.Name.self)
        let device = try fields.text("device")
        let lifetime = try fields.number("expiresIn")
        try fields.finish()
        guard let role else {
            throw .validationFailed(field: "role", value: "", reason: .missing, expected: .roleWords)
        }
        if let lifetime,
            let flaw = TimeSpan.flaw(
                in: lifetime, field: "expiresIn", range: TimeSpan.moreThanNone...TimeSpan.longest,
                or: .leftOutForNoExpiry)
        {
            throw flaw
        }
        switch role {
        case .ingest: return (name, .ingest(device: device), lifetime)
        case .admin, .reader:
            guard device == nil else {
                throw .validationFailed(
                    field: "device", value: device ?? "", reason: .onlyIngestHasDevice,
                    expected: .noDevice)
            }
            return (name, role == .admin ? .admin : .reader, lifetime)
        }
    }
}
