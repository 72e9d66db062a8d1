import Model

extension Token: JSONDescribed {
    package static let shape = JSONShape<Token>(
        "Token",
        summary: "Who may talk to the service",
        .init("id", kind: .text, summary: "To speak of it; no secret", content: \.id),
        .init("name", kind: .text, summary: "For people", content: \.name),
        .init("role", kind: .word, summary: "What it may", content: \.role.name),
        .init("device", optional: .text, summary: "The only device that it may report for", content: \.role.device),
        .init("madeAt", kind: .time, summary: "When it was made", content: \.createdAt),
        .init("expiresAt", optional: .time, summary: "When it ends", content: \.expiresAt),
        .init("revokedAt", optional: .time, summary: "When it was revoked", content: \.revokedAt)
    ) { id, name, role, device, madeAt, expiresAt, revokedAt in
        let role: Role =
            switch role {
            case .admin: .admin
            case .reader: .reader
            case .ingest: .ingest(device: device)
            }
        return Token(id: id, name: name, role: role, madeAt: madeAt, expiresAt: expiresAt, revokedAt: revokedAt)
    }
}
