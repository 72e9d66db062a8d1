import Model

extension Token: JSONDescribed {
    package static let shape = JSONShape<Token>(
        "Who may talk to the service",
        .init("id", .text, "To speak of it; no secret", \.id),
        .init("name", .text, "For people", \.name),
        .init("role", .word, "What it may", \.role.name),
        .init("device", optional: .text, "The only device that it may report for", \.role.device),
        .init("madeAt", .time, "When it was made", \.madeAt),
        .init("expiresAt", optional: .time, "When it ends", \.expiresAt),
        .init("revokedAt", optional: .time, "When it was taken back", \.revokedAt)
    ) { id, name, role, device, madeAt, expiresAt, revokedAt in
        let role: Role =
            switch role {
            case .admin: .admin
            case .reader: .reader
            case .ingest: .ingest(device: device)
            }
        return Token(id: id, name: name, role: role, madeAt: madeAt, expiresAt: expiresAt, revokedAt: revokedAt)
    }

    /// The object with the token's secret, for the answer to its creation.
    package func json(secret: String) -> JSONValue { json(with: [.init("secret", .string(secret))]) }
}
