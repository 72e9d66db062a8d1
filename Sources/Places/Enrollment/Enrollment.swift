import Core
import Model
import Secrets
import Store

/// The result of enrolling a phone.
package struct Enrollment: Sendable {
    package var device: Device
    /// Whether the device was created.
    var isNew: Bool
    /// The time of the device's newest position; nil if it has none.
    var lastFixAt: Instant?
    /// A token with which only positions of this device can be reported.
    var token: CreatedToken
    /// The first token of a store closes a service that needed no token, so the person who enrolls the first phone also gets a token
    /// with the role admin. Nil if there was a token before.
    package var administrator: CreatedToken?
    /// Earlier tokens for only this device that are still valid, oldest first.
    var otherTokens: [Token]
    /// The address to which the phone reports.
    var address: PhoneAddress
}

extension Queries {
    /// The name of the administrator's token that comes with the first enrollment.
    fileprivate static let firstAdministrator = "first administrator"
}

extension ServiceWriter {
    /// Enrolls a phone: creates its device if necessary, and a token for only that device. A refused device is accepted again.
    ///
    /// - Parameter address: The address to which the phone reports.
    /// - Throws: `Problem.validationFailed` for an invalid id or name, and `Problem.tooLarge` if the id and the address do not fit into a
    ///   QR code. In both cases nothing is changed.
    package func enroll(_ request: EnrollmentRequest, at address: PhoneAddress) throws(Problem) -> Enrollment {
        // The size is checked before the token is created, because its secret could otherwise not be shown. All secrets have the same
        // length, so any secret will do.
        let setup = PhoneSetup(address: address.url, deviceId: request.deviceId, secret: Secret.token())
        _ = (try setup.ownTracks, try setup.traccar)
        let now = clock.now()
        let known = try store.device(id: request.deviceId)?.device
        var device =
            known ?? Device(id: request.deviceId, name: String(request.deviceId.prefix(120)), platform: request.platform)
        if let name = request.name { device.name = name }
        // Everything is checked before anything is created. The name of a token has more restrictions than that of a device.
        let scope = DeviceScope(devices: [device.id])
        let wanted = Token(id: "", name: device.name, role: .ingest, scope: scope, createdAt: now)
        if let flaw = device.flaw ?? wanted.flaw { throw flaw }
        if device != known { try save(device) }
        let lastFixAt =
            try known == nil ? nil : store.status(of: storedDevice(id: device.id), counting: false, at: now).newest?.time
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let isFirst = try store.tokens().isEmpty
            let others = try tokens().filter { $0.onlyDevice == device.id && !$0.hasExpired(at: now) }
            let token = try createToken(name: device.name, role: .ingest, scope: scope, in: transaction)
            let administrator = isFirst ? try createToken(name: Self.firstAdministrator, role: .admin, in: transaction) : nil
            try store.readmit(device: device.id, in: transaction)
            return Enrollment(
                device: device, isNew: known == nil, lastFixAt: lastFixAt, token: token, administrator: administrator,
                otherTokens: others, address: address)
        }
    }
}

extension Enrollment {
    /// The information for the person who enrolls the phone: the tokens, the address, and the setup of each app.
    ///
    /// - Throws: `Problem.tooLarge` if the address does not fit into a QR code. This does not happen for an address that
    ///   `ServiceWriter.enroll(_:at:)` accepted.
    package func json(in language: Language) throws(Problem) -> JSONValue {
        try EnrollmentDocument(self).json(in: AnswerLocale(language))
    }
}
