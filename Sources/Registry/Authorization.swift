/// What a person lets an app know of the device's whereabouts (Apple's `CLAuthorizationStatus`; Android's permissions map onto
/// it). Only `always` watches in the background.
public enum Authorization: String, CaseIterable, Sendable {
    case notDetermined, restricted, denied, whenInUse, always
}
