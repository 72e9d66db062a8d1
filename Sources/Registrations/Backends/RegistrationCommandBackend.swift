import Core
import Model

/// What commands can change in registrations. The implementations change the store directly or send requests to a running service; see
/// `CommandBackend`.
package protocol RegistrationCommandBackend: AnyObject {
    /// Saves the key with which a device encrypts its messages, or removes it with nil; see `ServiceWriter.setOwnTracksKey(_:ofDevice:)`.
    func setOwnTracksKey(_ key: String?, ofDevice id: String) throws(Problem)

    /// Exchanges the simulated phone of a device for one with another profile.
    ///
    /// - Throws: `Problem.validationFailed` if the device's phone is not simulated, or its platform has no such profile.
    func usePhoneProfile(_ profile: SimulatedProfile, ofDevice id: String) throws(Problem)
}

extension ServiceWriter: RegistrationCommandBackend {
    package func usePhoneProfile(_ profile: SimulatedProfile, ofDevice id: String) throws(Problem) {
        _ = try simulate(.useProfile(profile), on: device(id: id))
    }
}
