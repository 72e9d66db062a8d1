import Model
import Registry

/// The texts of one language about the comparison of a log with a track. Explanations have no full stop.
///
/// A new reason does not compile until every language has its text.
package protocol ComparisonCatalog: Sendable {
    /// The title of a page.
    var title: String { get }
    var geofence: String { get }
    /// The headings of the columns with numbers.
    var happened: String { get }
    var told: String { get }
    var median: String { get }
    var worst: String { get }
    var missed: String { get }
    var falseReports: String { get }
    var time: String { get }
    var explanation: String { get }
    /// The title of the list of what was missed and false.
    var faults: String { get }
    /// What happened, in one or two words: "missed enter".
    func name(_ kind: TransitionKind, _ outcome: ComparedTransition.Outcome) -> String
    /// A reason in one or two words.
    func name(_ reason: ComparedTransition.Reason) -> String
    /// What the log shows of a reason; nil if the name of the reason says everything.
    func explanation(_ transition: ComparedTransition, _ reason: ComparedTransition.Reason, _ words: ComparisonWords) -> String?
    /// That a missed transition was told after all, too late.
    func toldLate(_ duration: String) -> String
    /// How many more entries there are than a list shows.
    func more(_ count: Int) -> String
    /// What was compared, as whole sentences.
    func scope(_ report: ComparisonReport, _ words: ComparisonWords) -> String
    /// The result, as whole sentences.
    func result(_ report: ComparisonReport, _ words: ComparisonWords) -> String
    /// What was unusual about the log, as whole sentences.
    func remarks(_ report: ComparisonReport, _ words: ComparisonWords) -> [String]
}

extension Language {
    package var comparison: any ComparisonCatalog {
        switch self {
        case .english: EnglishComparison()
        case .turkish: TurkishComparison()
        }
    }
}

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
        let parts = [catalog.explanation(transition, reason, self), late.map { catalog.toldLate(duration($0)) }].compactMap { $0 }
        return parts.isEmpty ? name : "\(name): \(parts.joined(separator: "; "))"
    }
}
