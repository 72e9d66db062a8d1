import Model

/// The words of reports in one language.
package protocol ReportCatalog: Sendable {
    func title(_ subject: ReportQuestion.Subject, _ period: ReportPeriod) -> String
    func heading(_ period: ReportPeriod) -> String
    func heading(_ subject: ReportQuestion.Subject) -> String
    var visits: String { get }
    /// The heading of the time for which devices were seen.
    var seen: String { get }
    var firstIn: String { get }
    var lastOut: String { get }
    var distance: String { get }
    /// In place of the last exit, while a visit goes on.
    var stillThere: String { get }
    /// In place of the time for which a device was seen.
    var unknown: String { get }
    /// What only counts, as "Only device van".
    func only(device: String) -> String
    func only(group: String) -> String
    func only(geofence: String) -> String
    /// When the report was made.
    func made(at time: String) -> String
    /// A whole sentence about visits of which the time is not known.
    func unknownVisits(_ count: Int) -> String
    /// A whole sentence about visits that are left out, because they are shorter than a duration.
    func omittedVisits(_ count: Int, shorterThan duration: String) -> String
    /// A whole sentence about positions that are left out of the distances, because they imply more than the maximum speed.
    func outliers(_ count: Int) -> String
    /// A whole sentence about late positions that are not evaluated.
    ///
    /// - Parameters:
    ///   - devices: The ids of the devices.
    ///   - since: The time of the earliest position.
    ///   - isPossible: Whether they are evaluated later. Otherwise positions that this needs are missing.
    func notEvaluated(_ devices: [String], since: String, isPossible: Bool) -> String
    /// A whole sentence: the report has no rows.
    var nothing: String { get }
}

extension Language {
    package var report: any ReportCatalog {
        self == .turkish ? TurkishReport() : EnglishReport()
    }
}
