import Model
import Secrets

/// A phone that was enrolled.
public struct Enrollment: Sendable {
    /// A token with its secret, which is told once.
    public struct MadeToken: Sendable {
        public var token: Token
        public var secret: String

        var json: JSONValue { .object((token.json.members ?? []) + [.init("secret", .string(secret))]) }
    }

    public var device: Device
    /// Whether the device was made.
    public var isNew: Bool
    /// When the device's newest position was taken; nil when it has none.
    public var lastFixAt: Instant?
    /// The right to report positions of this device alone.
    public var token: MadeToken
    /// Whoever makes a store's first token closes a service that was open, and needs a token as well: one of the role admin. Nil when
    /// there was a token before.
    public var administrator: MadeToken?
    /// Tokens for this device alone that were made before and are still good, the oldest first.
    public var otherTokens: [Token]
    /// Where the phone reports to.
    public var address: PhoneAddress
}

extension Queries {
    /// The name of the token that comes with the first enrollment.
    fileprivate static let firstAdministrator = "first administrator"
}

extension ServiceWriter {
    /// Enrolls a phone: makes its device when there is none, and a token for that device alone. A device that was refused before is
    /// refused no longer.
    ///
    /// - Parameter address: Where the phone is to report to.
    /// - Throws: `Problem.validationFailed` for an id or a name that cannot be used, and `Problem.tooLarge` when the id and the address
    ///   do not fit into a QR code. Nothing is changed then.
    public func enroll(_ request: EnrollmentRequest, at address: PhoneAddress) throws(Problem) -> Enrollment {
        // Before there is a token that nobody would be told. Any secret will do: they are all of one length.
        let setup = PhoneSetup(address: address.url, deviceId: request.deviceId, secret: Secret.token())
        _ = (try setup.ownTracksJSON(), try setup.traccarJSON())
        let now = clock.now()
        let known = try store.device(id: request.deviceId)?.device
        var device =
            known ?? Device(id: request.deviceId, name: String(request.deviceId.prefix(120)), platform: request.platform)
        if let name = request.name { device.name = name }
        // Before anything is made: a token is stricter about its name than a device.
        let wanted = Token(id: "", name: device.name, role: .ingest(device: device.id), madeAt: now)
        if let flaw = device.flaw ?? wanted.flaw { throw flaw }
        if device != known { try put(device) }
        let lastFixAt = try known == nil ? nil : whereabouts(of: device.id).newest?.time
        return try store.transaction { () throws(Problem) in
            let isFirst = try store.tokens().isEmpty
            let others = try tokens().filter { $0.role.device == device.id && !$0.hasExpired(at: now) }
            let made = try addToken(name: device.name, role: .ingest(device: device.id))
            let administrator = isFirst ? try addToken(name: Self.firstAdministrator, role: .admin) : nil
            try store.readmit(device: device.id)
            return Enrollment(
                device: device, isNew: known == nil, lastFixAt: lastFixAt, token: .init(token: made.token, secret: made.secret),
                administrator: administrator.map { .init(token: $0.token, secret: $0.secret) }, otherTokens: others,
                address: address)
        }
    }
}

extension Enrollment {
    /// What whoever enrolls a phone is told: the tokens, the address, and how to set up each app.
    ///
    /// - Throws: `Problem.tooLarge` when the address is too long for a QR code. That of `ServiceWriter.enroll(_:at:)` is not.
    public func json(in language: Language) throws(Problem) -> JSONValue {
        let setup = PhoneSetup(address: address.url, deviceId: device.id, secret: token.secret)
        return .compact([
            ("device", device.json), ("isNew", .bool(isNew)), ("lastFixAt", lastFixAt.map { JSONValue($0) }),
            ("token", token.json), ("administrator", administrator?.json),
            ("otherTokens", .array(otherTokens.map(\.json))),
            ("address", .string(address.url)), ("warnings", .array(address.problems.map { $0.json(in: language) })),
            ("ownTracks", try setup.ownTracksJSON()), ("traccar", try setup.traccarJSON()),
            ("curl", ["command": .string(setup.curlCommand)]),
        ])
    }
}
