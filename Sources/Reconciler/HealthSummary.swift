import Model

/// The most important fact about the health of a device's registered regions, shown as one sentence.
///
/// If several cases apply to a device, the one declared first is used.
public enum HealthSummary: Hashable, Sendable {
    /// Picket does not manage the device's regions: `Device.registry` is `.none`.
    case notManaged
    /// The registered regions are unknown. `lastReported` is the time of the app's last report if that report is too old; nil if
    /// the registry gave no answer.
    case unknown(lastReported: Instant?)
    /// Location services are switched off on the device.
    case locationServicesDisabled
    /// The app has no permission to use the location at all times, which region monitoring needs.
    case needsAlwaysAuthorization
    /// `count` geofences are not registered although they should be. In all cases, `system` is the platform's name, such as
    /// `iOS`.
    case notRegistered(count: Int, system: String)
    /// Picket registered `count` regions that no geofence needs anymore.
    case orphaned(count: Int, system: String)
    /// `count` regions are registered or watched wrongly (`drifted`, `deaf` or `zombie` in `Finding.Kind`). A missing
    /// sentinel, the circle that guards the geofences left out, is counted too.
    case misregistered(count: Int, system: String)
    /// Foreign regions have taken every slot, so none of the geofences is registered.
    case noRoom(system: String)
    /// The app may know only the approximate location.
    case preciseLocationOff
    /// The app may not run in the background.
    case backgroundRefreshOff
    /// The device restricts the app to save battery.
    case batteryOptimized
    /// No active geofence applies to the device, so nothing should be registered.
    case noActiveGeofences
    /// Everything that should be registered is.
    case healthy

    /// The sentence that states the summary, without a period at the end.
    public func sentence(in language: Language = .english) -> String { phrase.text(in: language) }

    package var phrase: Phrase {
        switch self {
        case .notManaged: Phrase("Not managed")
        case .unknown(nil): Phrase("Unknown")
        case .unknown(let reportedAt?): Phrase("Unknown, last reported \(reportedAt.description)")
        case .locationServicesDisabled: Phrase("Location services disabled")
        case .needsAlwaysAuthorization: Phrase("Needs 'Always' authorization")
        case .notRegistered(let count, let system): Phrase("\(plain: count) geofence(s) not registered with \(system)")
        case .orphaned(let count, let system): Phrase("\(plain: count) orphan region(s) in \(system)")
        case .misregistered(let count, let system): Phrase("\(plain: count) region(s) wrong in \(system)")
        case .noRoom(let system): Phrase("No room for geofences in \(system)")
        case .preciseLocationOff: Phrase("Precise location off")
        case .backgroundRefreshOff: Phrase("Background refresh off")
        case .batteryOptimized: Phrase("Battery optimized")
        case .noActiveGeofences: Phrase("No active geofences")
        case .healthy: Phrase("Healthy")
        }
    }
}
