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
    case locationServicesDisabled
    /// The app has no permission to use the location at all times, which region monitoring needs.
    case needsAlwaysAuthorization
    /// `count` geofences are not registered although they should be. In all cases, `system` is the platform's name, such as
    /// `iOS`.
    case notRegistered(count: Int, system: String)
    /// Picket registered `count` regions that no geofence needs any more.
    case orphaned(count: Int, system: String)
    /// `count` regions are registered or watched wrongly (`drifted`, `deaf` or `zombie` in `Finding.Kind`). A missing
    /// sentinel, the circle that guards the geofences left out, is counted too.
    case misregistered(count: Int, system: String)
    /// The app may know only the approximate location.
    case preciseLocationOff
    /// The app may not run in the background.
    case backgroundRefreshOff
    /// The device restricts the app to save battery.
    case batteryOptimized
    case noActiveGeofences
    case healthy

    /// Parses an English sentence, the form in which the store keeps a summary. Nil if this version does not know the sentence,
    /// for example because another version stored it.
    package init?(english sentence: String) {
        let fixed: [HealthSummary] = [
            .notManaged, .unknown(lastReported: nil), .locationServicesDisabled, .needsAlwaysAuthorization, .preciseLocationOff,
            .backgroundRefreshOff,
            .batteryOptimized, .noActiveGeofences, .healthy,
        ]
        if let known = fixed.first(where: { $0.sentence() == sentence }) {
            self = known
            return
        }
        let words = sentence.split(separator: " ").map(String.init)
        guard let first = words.first, let last = words.last else { return nil }
        var candidates: [HealthSummary] = []
        if let count = Int(first) {
            candidates = [
                .notRegistered(count: count, system: last), .orphaned(count: count, system: last),
                .misregistered(count: count, system: last),
            ]
        } else if let reportedAt = Instant(last) {
            candidates = [.unknown(lastReported: reportedAt)]
        }
        guard let known = candidates.first(where: { $0.sentence() == sentence }) else { return nil }
        self = known
    }

    /// Translates a stored English sentence. A sentence that this version does not know is returned unchanged.
    package static func translated(_ sentence: String, to language: Language) -> String {
        HealthSummary(english: sentence)?.sentence(in: language) ?? sentence
    }

    /// The sentence that states the summary, without a period at the end.
    public func sentence(in language: Language = .english) -> String { language.registration.summary(self) }
}
