extension Token: JSONDescribed {
    /// All fields. `device`, `devices` and `groups` are the scope, for which the store has other columns.
    package static let fields: [EntityField<Token>] = [
        .init("id", .text, at: \.id, help: "The token's id, which is not secret", isRequired: true),
        .init("name", .name, at: \.name, help: "The name for people", isRequired: true),
        .init(
            "role", .word, at: \.role, help: "The role, which decides what the token allows",
            option: .init("ROLE", "admin: everything; reader: read only; ingest: report positions only"), isRequired: true),
        .init("device", optional: .text, at: \.writtenDevice, help: "The only device that the token may report for"),
        .init("devices", optional: .texts, at: \.writtenDevices, help: "The only devices that the token may see or report for"),
        .init(
            "groups", optional: .texts, at: \.writtenGroups,
            help: "The only groups whose devices the token may see or report for"),
        .init("madeAt", .time, at: \.createdAt, help: "When the token was created", isRequired: true),
        .init("expiresAt", optional: .time, at: \.expiresAt, help: "When the token expires"),
        .init("revokedAt", optional: .time, at: \.revokedAt, help: "When the token was revoked"),
        .init("lastUsedAt", optional: .time, at: \.lastUsedAt, help: "When the token was last used, to about ten minutes"),
        .init("lastDevice", optional: .text, at: \.lastDevice, help: "The device for which the token last reported"),
    ]

    package static let shape = JSONShape<Token>(
        "Token", summary: "A token that gives access to the service", fields: fields,
        of: Token(id: "", name: "", role: .ingest, createdAt: .earliest))

    /// The scope as JSON: the only device of a token that reports, otherwise both lists. Setting nil changes nothing.
    private var writtenDevice: String? {
        get { onlyDevice }
        set { if let newValue { scope = DeviceScope(devices: [newValue]) } }
    }
    private var writtenDevices: [String]? {
        get { onlyDevice == nil ? scope?.listedIDs : nil }
        set { if let newValue { scope = DeviceScope(devices: newValue, groups: scope?.groups ?? []) } }
    }
    private var writtenGroups: [String]? {
        get { onlyDevice == nil ? scope?.groups.sorted() : nil }
        set { if let newValue { scope = DeviceScope(devices: scope?.devices ?? [], groups: newValue) } }
    }
}
