import Model

/// The information for a person who enrolls a phone.
package struct EnrollmentDocument: Sendable {
    private let enrollment: Enrollment
    private let setup: PhoneSetup
    private let ownTracks: PhoneSetup.AppSetup
    private let traccar: PhoneSetup.AppSetup

    /// - Throws: `Problem.tooLarge` if the address does not fit into a QR code.
    init(_ enrollment: Enrollment) throws(Problem) {
        self.enrollment = enrollment
        setup = PhoneSetup(
            address: enrollment.address.url, deviceId: enrollment.device.id, secret: enrollment.token.secret)
        ownTracks = try setup.ownTracks
        traccar = try setup.traccar
    }
}

extension Device {
    /// The name of a device as answers show it; see `ShownDevice`.
    package static let shownName = "Device"
}

extension EnrollmentDocument: JSONWritable {
    package static let output = JSONOutput<EnrollmentDocument>(
        "Enrollment", summary: "A phone that was enrolled",
        .init("device", kind: .object(named: Device.shownName, of: Device.output), content: \.enrollment.device),
        .init("isNew", kind: .flag, summary: "Whether the device was created", content: \.enrollment.isNew),
        .init(
            "lastFixAt", optional: .time, summary: "The time of the newest position that the device had before",
            content: \.enrollment.lastFixAt),
        .init("token", kind: .object, summary: "A token for this device only", content: \.enrollment.token),
        .init(
            "administrator", optional: .object, summary: "The first token with the role admin, if the store had no tokens",
            content: \.enrollment.administrator),
        .init(
            "otherTokens", kind: .list(of: .object), summary: "Earlier tokens for this device only that are still valid",
            content: \.enrollment.otherTokens),
        .init("address", kind: .text, summary: "The URL of the service", content: \.enrollment.address.url),
        .init(
            "warnings", kind: .list(of: .object), summary: "What prevents phones from connecting, or makes it insecure",
            content: \.enrollment.address.problems),
        .init("ownTracks", kind: .object(of: PhoneSetup.ownTracksOutput), content: \.ownTracks),
        .init("traccar", kind: .object(of: PhoneSetup.traccarOutput), content: \.traccar),
        .init("curl", kind: .object(of: PhoneSetup.curlOutput), content: \.setup))
}
