/// An expectation about the presence of devices in a geofence. When it is not satisfied, a `missed` event is emitted.
package struct PresenceRule: Hashable, Sendable {
    /// The devices that the rule applies to.
    package enum Subject: Hashable, Sendable {
        case device(String)
        /// Each device of the group separately.
        case group(String)

        /// The subject with its name in Unicode's normal form C.
        fileprivate var inNormalForm: Subject {
            switch self {
            case .device(let id): .device(id.inNormalForm)
            case .group(let name): .group(name.inNormalForm)
            }
        }
    }

    /// The geofences that the rule is about.
    package enum Geofences: Hashable, Sendable {
        case geofence(String)
        /// Each geofence with the label separately.
        case label(String)

        /// The selection with its name in Unicode's normal form C.
        fileprivate var inNormalForm: Geofences {
            switch self {
            case .geofence(let id): .geofence(id)
            case .label(let name): .label(name.inNormalForm)
            }
        }
    }

    /// The expectation of a rule.
    package enum Expectation: Hashable, Sendable {
        /// The device is inside at some moment between `from` and `by`. The rule is evaluated `grace` seconds after `by`, so that positions
        /// sent just before `by` have arrived.
        case entersBy(TimeOfDay, from: TimeOfDay, grace: Double)
        /// The device leaves at most this many seconds after its enter.
        case staysAtMost(Double)
        /// If the device is inside at some moment between `from` and `until`, it does not leave before `until`.
        case staysUntil(TimeOfDay, from: TimeOfDay)

        package var kind: Kind {
            switch self {
            case .entersBy: .entersBy
            case .staysAtMost: .staysAtMost
            case .staysUntil: .staysUntil
            }
        }

        /// Seconds from the deadline until the rule is evaluated.
        package var grace: Double { if case .entersBy(_, _, let grace) = self { grace } else { 0 } }
    }

    package enum Kind: String, CaseIterable, Sendable {
        case entersBy, staysAtMost, staysUntil

        /// The kind as a part of an id.
        fileprivate var idComponent: String {
            switch self {
            case .entersBy: "enters-by"
            case .staysAtMost: "stays-at-most"
            case .staysUntil: "stays-until"
            }
        }
    }

    /// 1 to 64 characters of `A-Z a-z 0-9 . _ -`.
    package var id: String
    package var subject: Subject
    package var geofences: Geofences
    package var expectation: Expectation
    /// Visits in which the device was seen for fewer seconds do not count; nil if all count. Nil for `staysAtMost`, which is about long
    /// visits.
    package var minDuration: Double? { didSet { if minDuration == 0 { minDuration = nil } } }
    /// The days on which the rule applies. The day is that on which the window begins, or for `staysAtMost` the day of the enter.
    package var days: Weekdays
    /// Days on which the rule does not apply, such as holidays.
    package var exceptions: [DateSpan]
    /// A name such as `Europe/Berlin` or `UTC`.
    package var timeZone: String
    package var isActive: Bool
    /// Nothing before this moment is evaluated.
    package var since: Instant

    /// The default of `grace` in seconds.
    package static let defaultGrace = 120.0
    /// The largest `grace` in seconds: a week.
    package static let maximumGrace = 604_800.0
    /// The allowed durations of `staysAtMost` in seconds: from a minute to 366 days.
    package static let allowedStays = 60.0...31_622_400.0
    /// The allowed values of `minDuration` in seconds: up to a day.
    package static let allowedMinDurations = 0.0...86_400.0
    /// The maximum number of `exceptions`.
    package static let maximumExceptions = 200

    package init(
        id: String, subject: Subject, geofences: Geofences, expectation: Expectation, minDuration: Double? = nil,
        days: Weekdays = .all, exceptions: [DateSpan] = [], timeZone: String = "UTC", isActive: Bool = true, since: Instant
    ) {
        self.id = id
        self.subject = subject.inNormalForm
        self.geofences = geofences.inNormalForm
        self.expectation = expectation
        self.minDuration = minDuration == 0 ? nil : minDuration
        self.days = days
        self.exceptions = exceptions
        self.timeZone = timeZone
        self.isActive = isActive
        self.since = since
    }

    /// Whether the rule applies to a device.
    package func applies(to device: Device) -> Bool {
        switch subject {
        case .device(let id): device.id == id
        case .group(let name): device.groups.contains(name)
        }
    }

    /// Whether the rule applies on a day.
    package func applies(on date: LocalDate) -> Bool {
        days.contains(date) && !exceptions.contains { $0.contains(date) }
    }

    /// The id of a rule that has none in its JSON, such as `mia-school-enters-by`.
    static func madeID(of subject: Subject, at geofences: Geofences, _ kind: Kind) -> String {
        let name =
            switch subject {
            case .device(let name), .group(let name): name
            }
        let place =
            switch geofences {
            case .geofence(let name), .label(let name): name
            }
        return Identifier.derived(from: "\(name) \(place) \(kind.idComponent)") ?? kind.idComponent
    }
}
