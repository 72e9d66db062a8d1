import Model

/// What a report is about: how visits are added up, and which of them.
package struct ReportQuestion: Sendable {
    /// What a row of the report stands for, besides its period.
    package enum Subject: String, CaseIterable, Sendable { case geofence, device, group }

    package var subject: Subject
    package var period: ReportPeriodLength
    package var since: Instant
    package var until: Instant
    /// Whether `until` was named; otherwise it is now.
    package let hasEnd: Bool
    /// The end of visits that continue.
    package let now: Instant
    /// The zone of the periods.
    package var zone: LocalTimeZone
    /// Only of this device.
    package var deviceId: String?
    /// Only of the devices that are in this group now.
    package var group: String?
    /// Only of this geofence.
    package var geofenceId: String?
    /// Only visits in which the device was seen for at least this number of seconds; nil for all.
    package var minDuration: Double?

    package let periods: [ReportPeriod]

    /// The most periods of a report: ten years of days.
    package static let mostPeriods = 3660
    /// The most rows of a report.
    package static let mostRows = 100_000

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
            throw .validationFailed(field: prefix + "since", value: "", reason: .missing, expected: .writtenTime)
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
        guard let periods = period.periods(since: since, until: until, in: zone, atMost: Self.mostPeriods) else {
            throw .validationFailed(
                field: prefix + "since", value: text, reason: Phrase("these are more than \(Self.mostPeriods) periods"),
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
