import Core
import Model

/// The question that a report answers: which visits it adds up, and by what.
package struct ReportQuestion: Sendable {
    /// The thing that each row of the report is about, in each period.
    package enum Subject: String, CaseIterable, Sendable { case geofence, device, group }

    package var subject: Subject
    package var period: ReportPeriodLength
    package var since: Instant
    package var until: Instant
    /// Whether an end was given; without one, `until` is now.
    package let hasEnd: Bool
    /// The end of open visits.
    package let now: Instant
    /// The zone of the periods.
    package var zone: LocalTimeZone
    /// The device whose visits count; nil for all.
    package var deviceId: String?
    /// Only devices that are in this group now count; nil for all.
    package var group: String?
    /// The geofence whose visits count; nil for all.
    package var geofenceId: String?
    /// Only visits in which the device was seen for at least this many seconds count; nil for all.
    package var minDuration: Double?

    package let periods: [ReportPeriod]

    /// The maximum number of periods: ten years of days.
    package static let maxPeriods = 3660
    /// The maximum number of rows.
    package static let maxRows = 100_000

    /// Reads a question from options or query fields.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the names in messages, such as the `--` of options.
    ///   - value: The text of an option or a field by its name without the prefix; nil if it is missing.
    /// - Throws: `Problem.validationFailed`.
    package init(
        by reader: TimeReader, prefix: String = "", value: (_ name: String) -> String?
    ) throws(Problem) {
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
        subject = try word("by", Subject.self)
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
        geofenceId = value("geofence")
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
}

extension ReportQuestion.Subject: Named {
    /// The heading of a column.
    package var phrase: Phrase {
        switch self {
        case .geofence: Phrase("Geofence")
        case .device: Phrase("Device")
        case .group: Phrase("Group")
        }
    }
}
