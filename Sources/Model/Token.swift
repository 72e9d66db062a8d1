/// The right to talk to a service. Whoever shows its secret has it; the secret itself is kept nowhere.
public struct Token: Hashable, Sendable {
    /// What its holder may do.
    public enum Role: Hashable, Sendable {
        /// Everything.
        case admin
        /// Read everything, change nothing.
        case reader
        /// Report positions: for one device, or for any.
        case ingest(device: String?)

        public enum Name: String, CaseIterable, Sendable {
            case admin, reader, ingest
        }

        public var name: Name {
            switch self {
            case .admin: .admin
            case .reader: .reader
            case .ingest: .ingest
            }
        }

        /// The only device that it may report for; nil when there is no such bound.
        public var device: String? {
            if case .ingest(let device) = self { device } else { nil }
        }

        public var mayRead: Bool { self == .admin || self == .reader }
        public var mayChange: Bool { self == .admin }

        /// Whether it may report for some device at least.
        public var mayReport: Bool { self != .reader }

        public func mayReport(for id: String) -> Bool {
            switch self {
            case .admin: true
            case .reader: false
            case .ingest(let device): device.map { $0 == id } ?? true
            }
        }
    }

    /// To speak of it; no secret.
    public var id: String
    /// For people: who holds it.
    public var name: String
    public var role: Role
    public var madeAt: Instant
    /// From this moment on it is no longer good; nil: never.
    public var expiresAt: Instant?
    /// When it was taken back; nil: it was not.
    public var revokedAt: Instant?

    public init(
        id: String, name: String, role: Role, madeAt: Instant, expiresAt: Instant? = nil, revokedAt: Instant? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.madeAt = madeAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }

    public func hasExpired(at now: Instant) -> Bool { expiresAt.map { now >= $0 } ?? false }

    /// The first thing that is wrong with its own values.
    public var flaw: Problem? {
        if name.isEmpty || name.count > 120 || name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        {
            return .validationFailed(
                field: "name", value: name,
                reason: name.isEmpty ? "it is empty" : "it is too long or has a control character in it",
                expected: "1 to 120 characters that tell who holds it")
        }
        if let device = role.device, let reason = Identifier.flaw(inDevice: device) {
            return .validationFailed(
                field: "device", value: device, reason: reason, expected: "1 to 128 characters without control characters")
        }
        return nil
    }
}
