import Model

/// The texts of one language about the comparison of a log with a track. Explanations have no full stop.
///
/// A new reason does not compile until every language has its text.
package protocol ComparisonCatalog: Sendable {
    /// The title of a page.
    var title: String { get }
    var geofence: String { get }
    /// The title of the table with a row for each geofence.
    var byGeofence: String { get }
    /// The headings of the columns with numbers.
    var happened: String { get }
    var told: String { get }
    var median: String { get }
    var worst: String { get }
    var missed: String { get }
    var falseReports: String { get }
    /// The title of the list of what was missed and false.
    var faults: String { get }
    /// What happened, in one or two words: "missed enter".
    func name(_ kind: TransitionKind, _ outcome: ComparedTransition.Outcome) -> String
    /// A reason in one or two words.
    func name(_ reason: ComparedTransition.Reason) -> String
    /// What the log shows of a reason; nil if the name of the reason says everything.
    func explanation(_ transition: ComparedTransition, reason: ComparedTransition.Reason, in words: ComparisonWords) -> String?
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
        self == .turkish ? TurkishComparison() : EnglishComparison()
    }
}
