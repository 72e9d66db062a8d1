import Model

extension Token: JSONDescribed {
    package static let shape = JSONShape<Token>(
        "Token",
        summary: "A token that gives access to the service",
        .init("id", kind: .text, summary: "The token's id, which is not secret", content: \.id),
        .init("name", kind: .text, summary: "The name for people", content: \.name),
        .init("role", kind: .word, summary: "The role, which decides what the token allows", content: \.role),
        .init("device", optional: .text, summary: "The only device that the token may report for", content: \.onlyDevice),
        .init(
            "devices", optional: .list(of: .text), summary: "The only devices that the token may see or report for",
            content: \.listedDevices),
        .init(
            "groups", optional: .list(of: .text), summary: "The only groups whose devices the token may see or report for",
            content: \.listedGroups),
        .init("madeAt", kind: .time, summary: "When the token was created", content: \.createdAt),
        .init("expiresAt", optional: .time, summary: "When the token expires", content: \.expiresAt),
        .init("revokedAt", optional: .time, summary: "When the token was revoked", content: \.revokedAt)
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
