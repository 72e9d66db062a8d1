extension PresenceRule: JSONWritable {
    package static let output = JSONOutput<PresenceRule>(
        "PresenceRule", summary: "A rule about the presence of a device in a geofence",
        .init("id", optional: .text, summary: "The rule's id; derived from its content when omitted", content: \.id),
        .init("deviceId", optional: .text, summary: "The device's id", content: \.subject.device),
        .init(
            "group", optional: .text, summary: "Instead of a device: the group to whose devices the rule applies separately",
            content: \.subject.group),
        .init("geofenceId", optional: .text, summary: "The geofence's id", content: \.geofences.id),
        .init(
            "label", optional: .text,
            summary: "Instead of a geofence: the label of the geofences to which the rule applies separately",
            content: \.geofences.label),
        .init(membersOf: Expectation.output, content: \.expectation),
        .init(fields[...]))

    /// The fields besides the id, the subject, the geofence and the expectation.
    package static let fields: [EntityField<PresenceRule>] = [
        .init(
            "minDuration", optional: .seconds(allowedMinDurations), at: \.minDuration, removal: "0",
            help: "With entersBy and staysUntil: visits in which the device was seen for less do not count",
            option: .init("DURATION", "for example 10m; 0: all count")),
        .init(
            "days", .weekdays, at: \.days, help: "Days on which the rule applies, for example mon-fri or sat,sun",
            option: .init("DAYS", builtIn: "mon-sun")),
        .init(
            "except", .dates(atMost: maximumExceptions), at: \.exceptions, omitting: [],
            help: "Days on which it does not apply, for example 2026-12-24 or 2026-12-24..2027-01-06",
            option: .init("DAYS", "'none' for none", isRepeatable: true)),
        .init(
            "timeZone", .text, at: \.timeZone, help: "Time zone of its times and days, for example Europe/Berlin",
            option: .init("NAME", name: "--timezone", builtIn: "that of this machine")),
        .init("isActive", .flag("yes", "no"), at: \.isActive, help: "Whether the rule is evaluated; true when omitted"),
        .init(
            "since", .time, at: \.since,
            help: "Nothing before this time is evaluated; when omitted, the time at which the rule is created or changed"),
    ]
}

extension FieldKind<Weekdays> {
    /// Such as `mon-fri`.
    fileprivate static var weekdays: Self {
        .written(
            as: .text, text: { $0.description }, value: { Weekdays($0) }, reason: .notDaysOfWeek, expected: .weekdays)
    }
}

extension FieldKind<DateSpan> {
    /// Such as `2026-12-24..2027-01-06`.
    fileprivate static var date: Self {
        .written(
            as: .text, text: { $0.description }, value: { DateSpan($0) }, reason: .notDaysOfCalendar, expected: .days)
    }
}

extension FieldKind<[DateSpan]> {
    fileprivate static func dates(atMost maximum: Int) -> Self {
        .list(of: .date) { spans, field in
            if spans.count <= maximum { return nil }
            return .validationFailed(
                field: field, value: "\(spans.count) entries", reason: .tooMany, expected: .atMost(maximum))
        }
    }
}

extension PresenceRule.Subject {
    fileprivate var device: String? { if case .device(let id) = self { id } else { nil } }
    fileprivate var group: String? { if case .group(let name) = self { name } else { nil } }
}

extension PresenceRule.Geofences {
    package var id: String? { if case .geofence(let id) = self { id } else { nil } }
    package var label: String? { if case .label(let name) = self { name } else { nil } }
}

extension PresenceRule.Expectation: JSONWritable {
    /// The kind, and the members that belong to it.
    package static let output = JSONOutput<PresenceRule.Expectation>(
        "PresenceExpectation", summary: "What is expected",
        .init("kind", kind: .word, summary: "The kind of expectation", content: \.kind),
        .init(
            "from", optional: .text,
            summary: "With entersBy and staysUntil: the start of the window, such as 06:00; midnight when omitted",
            content: \.from?.description),
        .init(
            "by", optional: .text, summary: "With entersBy: the end of the window in which the device is inside, such as 08:15",
            content: \.by?.description),
        .init(
            "grace", optional: .number,
            summary: "With entersBy: seconds after 'by' until the rule is evaluated; 120 when omitted",
            content: \.writtenGrace),
        .init(
            "until", optional: .text,
            summary: "With staysUntil: a device that has been inside since 'from' does not leave before this time",
            content: \.until?.description),
        .init(
            "duration", optional: .number, summary: "With staysAtMost: the maximum length of a visit in seconds",
            content: \.duration))

    private var from: TimeOfDay? {
        switch self {
        case .entersBy(_, let from, _), .staysUntil(_, let from): from
        case .staysAtMost: nil
        }
    }

    private var by: TimeOfDay? { if case .entersBy(let by, _, _) = self { by } else { nil } }
    private var writtenGrace: Double? { if case .entersBy(_, _, let grace) = self { grace } else { nil } }
    private var until: TimeOfDay? { if case .staysUntil(let until, _) = self { until } else { nil } }
    private var duration: Double? { if case .staysAtMost(let seconds) = self { seconds } else { nil } }
}

extension MissedRule: JSONWritable {
    package static let output = JSONOutput<MissedRule>(
        "MissedRule", summary: "The rule of a missed event, as it was at that time",
        .init("id", kind: .text, summary: "The rule's id", content: \.id),
        .init(membersOf: PresenceRule.Expectation.output, content: \.expectation),
        .init("timeZone", optional: .text, summary: "The time zone of its times; UTC when omitted", content: \.timeZone))
}
