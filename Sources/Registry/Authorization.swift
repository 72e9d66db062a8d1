/// The location permission that a person grants an app: Apple's `CLAuthorizationStatus`, to which Android's permissions are mapped. Regions
/// are watched in the background only with `always`.
public enum Authorization: String, CaseIterable, Sendable {
    /// The person has not been asked yet.
    case notDetermined
    /// The person cannot grant the permission, for example because of parental controls.
    case restricted
    /// The person has refused the permission, or location services are off for the app.
    case denied
    /// The app may know the location while it is used.
    case whenInUse
    /// The app may know the location at any time.
    case always
}
