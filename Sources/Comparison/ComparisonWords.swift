import Model
import Registry

/// Formats what depends on the reader's time zone and language in texts about a comparison.
package struct ComparisonWords: Sendable {
    package var language: Language
    /// A time, in the reader's zone.
    package var time: @Sendable (Instant) -> String
    /// The platform's name, as its vendor writes it.
    package var platform: String

    package init(_ report: ComparisonReport, in language: Language, time: @escaping @Sendable (Instant) -> String) {
        self.language = language
        self.time = time
        platform = PlatformProfile(report.platform).name
    }

    package var catalog: any ComparisonCatalog { language.comparison }

    /// A length of time; with a minus if it is negative.
    package func duration(_ seconds: Double) -> String {
        (seconds <= -0.5 ? "−" : "") + language.duration(seconds.magnitude)
    }

    /// An identifier as it is shown: control characters are written as `\u{…}`, and the text is cut to 80 characters.
    package func shown(_ identifier: String) -> String {
        // `RegionID` leaves out Picket's own prefix, which belongs to the identifier here.
        let id = RegionID(identifier)
        return (id.isOurs ? RegionID.prefix : "") + id.description
    }

    /// A length in meters, or kilometers.
    package func length(_ meters: Double) -> String {
        guard meters.magnitude >= 1000 else { return "\(Int(meters.magnitude.rounded())) m" }
        let tenths = (min(meters.magnitude, 1e9) / 100).rounded() / 10
        return "\(tenths)".replacing(".", with: language == .turkish ? "," : ".") + " km"
    }

    /// The reason of a transition, with what the log shows: "not registered: its region is not in the list of …".
    package func explanation(_ transition: ComparedTransition) -> String {
        guard let reason = transition.reason else { return "" }
        let name = catalog.name(reason)
        let late = transition.outcome == .missed ? transition.delay : nil
        let parts = [catalog.explanation(transition, reason: reason, in: self), late.map { catalog.toldLate(duration($0)) }]
            .compactMap { $0 }
        return parts.isEmpty ? name : "\(name): \(parts.joined(separator: "; "))"
    }
}
