/// An access token of a service. Its secret is not stored.
package struct Token: Hashable, Sendable {
    /// What the token permits.
    package enum Role: String, CaseIterable, Sendable {
        /// Permits everything.
        case admin
        /// Permits reading and changes nothing.
        case reader
        /// Permits reporting positions.
        case ingest

        package var mayRead: Bool { self != .ingest }
        package var mayChange: Bool { self == .admin }
        package var mayReport: Bool { self != .reader }
    }

    /// The public id of the token, which is not secret.
    package var id: String
    /// The name of the holder, for people.
    package var name: String
    package var role: Role
    /// The devices that a reader sees, or for which positions can be reported; nil for all. An admin has no restriction.
    package var scope: DeviceScope?
    package var createdAt: Instant
    /// The moment from which the token is invalid; nil for never.
    package var expiresAt: Instant?
    /// When the token was revoked; nil when it was not.
    package var revokedAt: Instant?
    /// When the token was last used, to about ten minutes; nil if it never was.
    package var lastUsedAt: Instant?
    /// The device for which the token last reported; nil if it never did.
    package var lastDevice: String?

    package init(id: String, name: String, role: Role, scope: DeviceScope? = nil, createdAt: Instant, expiresAt: Instant? = nil) {
        self.id = id
        self.name = name
        self.role = role
        self.scope = scope
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The only device for which the token can report positions; nil for other tokens. Everything that the token reports belongs to this
    /// device.
    package var onlyDevice: String? { role == .ingest ? scope?.onlyDevice : nil }

    package func hasExpired(at now: Instant) -> Bool { expiresAt.map { now >= $0 } ?? false }

    /// The first invalid value of the token; nil when all are valid.
    package var flaw: Problem? {
        if let reason = Identifier.flaw(inName: name) {
            return .validationFailed(
                field: "name", value: name, reason: reason, expected: Phrase("1 to 120 characters that say who holds it"))
        }
        if let scope, role == .admin {
            return .validationFailed(
                field: scope.devices.isEmpty ? "groups" : "devices", value: (scope.devices.min() ?? scope.groups.min()) ?? "",
                reason: .adminHasAllDevices, expected: .readerOrIngest)
        }
        return scope?.flaw
    }
}
