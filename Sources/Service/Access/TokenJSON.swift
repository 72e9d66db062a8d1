import Model

extension Token: JSONDescribed {
    package static let shape = JSONShape<Token>(
        "Token",
        summary: "Who may talk to the service",
        .init("id", kind: .text, summary: "To speak of it; no secret", content: \.id),
        .init("name", kind: .text, summary: "For people", content: \.name),
        .init("role", kind: .word, summary: "What it may", content: \.role),
        .init("device", optional: .text, summary: "The only device that it may report for", content: \.onlyDevice),
        .init(
            "devices", optional: .list(of: .text), summary: "The only devices that it may see or report for",
            content: \.listedDevices),
        .init(
            "groups", optional: .list(of: .text), summary: "The groups whose devices it may see or report for",
            content: \.listedGroups),
        .init("madeAt", kind: .time, summary: "When it was made", content: \.createdAt),
        .init("expiresAt", optional: .time, summary: "When it ends", content: \.expiresAt),
        .init("revokedAt", optional: .time, summary: "When it was revoked", content: \.revokedAt)
    ) {
        (
            id: String, name: String, role: Role, device: String?, devices: [String]?, groups: [String]?, madeAt: Instant,
            expiresAt: Instant?, revokedAt: Instant?
        ) -> Token in
        var scope: DeviceScope?
        if devices != nil || groups != nil {
            scope = DeviceScope(devices: devices ?? [], groups: groups ?? [])
        } else if let device {
            scope = DeviceScope(devices: [device])
        }
        return Token(
            id: id, name: name, role: role, scope: scope, madeAt: madeAt, expiresAt: expiresAt, revokedAt: revokedAt)
    }

    /// The devices of the scope; nil if `onlyDevice` describes the whole scope.
    private var listedDevices: [String]? { onlyDevice == nil ? scope?.listedIDs : nil }
    private var listedGroups: [String]? { onlyDevice == nil ? scope?.groups.sorted() : nil }
}
