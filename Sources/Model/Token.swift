/// An access token of a service. Its secret is not stored.
package struct Token: Hashable, Sendable {
    /// What the token permits.
    package enum Role: Hashable, Sendable {
        /// Permits everything.
        case admin
        /// Permits reading everything and changing nothing.
        case reader
        /// Permits reporting positions, for one device or for all (nil).
        case ingest(device: String?)

        /// The name of a role in JSON and in options.
        package enum Name: String, CaseIterable, Sendable {
            case admin, reader, ingest
        }

        package var name: Name {
            switch self {
            case .admin: .admin
            case .reader: .reader
            case .ingest: .ingest
            }
        }

        /// The only device that the token may report for; nil when there is no such restriction.
        package var device: String? {
            if case .ingest(let device) = self { device } else { nil }
        }

        package var mayRead: Bool { self == .admin || self == .reader }
        package var mayChange: Bool { self == .admin }

        /// Whether the token may report for at least one device.
        package var mayReport: Bool { self != .reader }
    }

    /// The public id of the token, which is not secret.
    package var id: String
    /// The name of the holder, for people.
    package var name: String
    package var role: Role
    package var createdAt: Instant
    /// The moment from which the token is invalid; nil for never.
    package var expiresAt: Instant?
    /// When the token was revoked; nil when it was not.
    package var revokedAt: Instant?

    package init(
        id: String, name: String, role: Role, madeAt: Instant, expiresAt: Instant? = nil, revokedAt: Instant? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.createdAt = madeAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    package func hasExpired(at now: Instant) -> Bool { expiresAt.map { now >= $0 } ?? false }

    /// The first invalid value of the token; nil when all are valid.
    package var flaw: Problem? {
        if name.isEmpty || name.count > 120 || name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        {
            return .validationFailed(
                field: "name", value: name,
                reason: name.isEmpty ? .empty : .tooLongOrControlCharacter,
                expected: .holder)
        }
        if let device = role.device, let reason = Identifier.flaw(inDevice: device) {
            return .validationFailed(
                field: "device", value: device, reason: reason, expected: .deviceID)
        }
        return nil
    }
}
