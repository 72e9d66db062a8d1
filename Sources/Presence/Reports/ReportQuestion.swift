import Core
import Model

/// The question that a report answers: which visits it adds up, and by what.
package struct ReportQuestion: Sendable {
    /// One or two different things.
    var subjects: [ReportSubject]
    package var period: ReportPeriodLength
    package var since: Instant
    package var until: Instant
    /// Whether an end was given; without one, `until` is now.
    package let hasEnd: Bool
    /// The end of open visits.
    let now: Instant
    /// The zone of the periods.
    package var zone: LocalTimeZone
    /// The device whose visits count; nil for all.
    package var deviceId: String?
    /// Only devices that are in this group now count; nil for all.
    package var group: String?
    /// The geofences whose visits count; empty for all.
    package var geofenceIds: [String]
    /// The geofences whose visits do not count.
    package var excludedGeofenceIds: [String]
    /// Only visits in which the device was seen for at least this many seconds count; nil for all.
    package var minDuration: Double?

    let periods: [ReportPeriod]

    /// The subjects as an option or a query field, such as `device,geofence`.
    package var by: String { subjects.map(\.rawValue).joined(separator: ",") }

    /// Whether the rows have a distance. A distance does not belong to a geofence.
    var hasDistance: Bool { !subjects.contains(.geofence) }

    /// The maximum number of periods: ten years of days.
    static let maxPeriods = 3660
    /// The maximum number of rows.
    static let maxRows = 100_000

    /// Reads a question from options or query fields.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the names in messages, such as the `--` of options.
    ///   - values: The texts of an option or a field by its name without the prefix; empty if it is missing.
    /// - Throws: `Problem.validationFailed`.
    package init(
        by reader: TimeReader, prefix: String = "", values: (_ name: String) -> [String]
    ) throws(Problem) {
        func value(_ name: String) -> String? { values(name).last }
        func word<Word: RawRepresentable & CaseIterable>(_ name: String, _ type: Word.Type) throws(Problem) -> Word
        where Word.RawValue == String {
            let text = value(name)
            guard let word = text.flatMap(Word.init(rawValue:)) else {
                throw .validationFailed(
                    field: prefix + name, value: text ?? "", reason: text == nil ? .missing : .noSuchValue,
                    expected: .oneOf(Word.allCases.map(\.rawValue)))
            }
            return word
        }
        subjects = try Self.subjects(value("by"), field: prefix + "by")
        period = try word("period", ReportPeriodLength.self)
        guard let text = value("since") else {
            throw .missing(prefix + "since", .writtenTime)
        }
        let (start, end) = try Period.read(since: text, until: value("until"), by: reader, prefix: prefix)
        since = start ?? reader.now
        until = end ?? reader.now
        hasEnd = end != nil
        now = reader.now
        zone = reader.zone
        deviceId = value("device")
        group = value("group")
        geofenceIds = values("geofence")
        excludedGeofenceIds = values(prefix.isEmpty ? "notGeofence" : "not-geofence")
        let duration = prefix.isEmpty ? "minDuration" : "min-duration"
        minDuration = try value(duration).map { text throws(Problem) in
            try TimeSpan.seconds(text, field: prefix + duration, acceptsBareSeconds: true)
        }
        guard let periods = period.periods(since: since, until: until, in: zone, atMost: Self.maxPeriods) else {
            throw .validationFailed(
                field: prefix + "since", value: text, reason: Phrase("these are more than \(Self.maxPeriods) periods"),
                expected: .longerPeriods)
        }
        self.periods = periods
    }

    private static func subjects(_ text: String?, field: String) throws(Problem) -> [ReportSubject] {
        let words = (text ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let subjects = words.compactMap(ReportSubject.init)
        guard subjects.count == words.count, subjects.count <= ReportSubject.most, Set(subjects).count == subjects.count else {
            throw .validationFailed(
                field: field, value: text ?? "", reason: text == nil ? .missing : .noSuchValue,
                expected: .reportSubjects)
        }
        return subjects
    }
}
