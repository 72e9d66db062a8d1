/// The location permission that a person grants an app: Apple's `CLAuthorizationStatus`, to which Android's permissions are mapped. Regions
/// are watched in the background only with `always`.
public enum Authorization: String, CaseIterable, Sendable {
    case notDetermined, restricted, denied, whenInUse, always
}
