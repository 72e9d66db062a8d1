import Model

/// How a device's registrations are, in one sentence: the first case that holds, in this order.
public enum HealthSummary: Hashable, Sendable {
    /// The device has no registry.
    case notManaged
    /// The registry gave no answer. `lastReported` is when the device's app last reported, if that is too long ago.
    case unknown(lastReported: Instant?)
    case locationServicesDisabled
    case needsAlways
    /// So many geofences are missing; `system` is the platform's name as its vendor writes it.
    case notRegistered(count: Int, system: String)
    case orphaned(count: Int, system: String)
    /// So many regions are drifted, deaf or zombies, or the sentinel is missing.
    case wrong(count: Int, system: String)
    case imprecise
    case noBackgroundRefresh
    case batteryOptimized
    case noActiveGeofences
    case healthy

    /// The summary of an English sentence, as the store keeps it; nil for a sentence that this version does not know.
    package init?(english sentence: String) {
        let fixed: [HealthSummary] = [
            .notManaged, .unknown(lastReported: nil), .locationServicesDisabled, .needsAlways, .imprecise, .noBackgroundRefresh,
            .batteryOptimized, .noActiveGeofences, .healthy,
        ]
        if let known = fixed.first(where: { $0.words() == sentence }) {
            self = known
            return
        }
        let words = sentence.split(separator: " ").map(String.init)
        guard let first = words.first, let last = words.last else { return nil }
        var candidates: [HealthSummary] = []
        if let count = Int(first) {
            candidates = [
                .notRegistered(count: count, system: last), .orphaned(count: count, system: last),
                .wrong(count: count, system: last),
            ]
        } else if let reportedAt = Instant(last) {
            candidates = [.unknown(lastReported: reportedAt)]
        }
        guard let known = candidates.first(where: { $0.words() == sentence }) else { return nil }
        self = known
    }

    /// An English sentence of the store in another language; as it is when this version does not know it.
    package static func translated(_ sentence: String, to language: Language) -> String {
        HealthSummary(english: sentence)?.words(in: language) ?? sentence
    }

    /// The sentence, without a full stop.
    public func words(in language: Language = .english) -> String { language.registration.summary(self) }
}
