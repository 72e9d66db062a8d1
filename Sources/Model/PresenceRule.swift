/// What is expected of a device and a geofence. When it does not happen, a `missed` event is told.
public struct PresenceRule: Hashable, Sendable {
    /// Whose presence it is about.
    public enum Subject: Hashable, Sendable {
        case device(String)
        /// Each device of a group by itself.
        case group(String)
    }

    /// What is expected.
    public enum Expectation: Hashable, Sendable {
        /// The device is inside at some moment from `from` to `by`. Judged `grace` seconds after `by`, so that a position that was sent
        /// just then has arrived.
        case entersBy(TimeOfDay, from: TimeOfDay, grace: Double)
        /// The device leaves within so many seconds of its enter.
        case staysAtMost(Double)
        /// Once inside at some moment from `from` to `until`, the device does not leave before `until`.
        case staysUntil(TimeOfDay, from: TimeOfDay)

        public var kind: Kind {
            switch self {
            case .entersBy: .entersBy
            case .staysAtMost: .staysAtMost
            case .staysUntil: .staysUntil
            }
        }

        /// Seconds after the moment that it is about until it is judged.
        public var grace: Double { if case .entersBy(_, _, let grace) = self { grace } else { 0 } }
    }

    public enum Kind: String, CaseIterable, Sendable {
        case entersBy, staysAtMost, staysUntil

        /// As a word of an id.
        fileprivate var word: String {
            switch self {
            case .entersBy: "enters-by"
            case .staysAtMost: "stays-at-most"
            case .staysUntil: "stays-until"
            }
        }
    }

    /// 1 to 64 of `A-Z a-z 0-9 . _ -`.
    public var id: String
    public var subject: Subject
    public var geofenceId: String
    public var expectation: Expectation
    /// The days on which it holds: of a window, the day on which that begins; of a longest stay, the day of the enter.
    public var days: Weekdays
    /// Days on which it does not hold all the same, as holidays.
    public var exceptions: [DateSpan]
    /// As `Europe/Berlin`, or `UTC`.
    public var timeZone: String
    public var isActive: Bool
    /// Nothing before this moment is judged.
    public var since: Instant

    /// Seconds.
    public static let usualGrace = 120.0
    /// Seconds: a week.
    public static let longestGrace = 604_800.0
    /// Seconds: from a minute to a year.
    public static let stays = 60.0...31_622_400.0
    public static let mostExceptions = 200

    public init(
        id: String, subject: Subject, geofenceId: String, expectation: Expectation, days: Weekdays = .all,
        exceptions: [DateSpan] = [], timeZone: String = "UTC", isActive: Bool = true, since: Instant
    ) {
        self.id = id
        self.subject = subject
        self.geofenceId = geofenceId
        self.expectation = expectation
        self.days = days
        self.exceptions = exceptions
        self.timeZone = timeZone
        self.isActive = isActive
        self.since = since
    }

    /// Whether it holds for a device.
    public func covers(_ device: Device) -> Bool {
        switch subject {
        case .device(let id): device.id == id
        case .group(let name): device.groups.contains(name)
        }
    }

    /// Whether it holds on a day.
    public func holds(on date: LocalDate) -> Bool {
        days.contains(date) && !exceptions.contains { $0.contains(date) }
    }

    /// The id of a rule that comes without one, as `mia-school-enters-by`.
    static func madeID(_ subject: Subject, geofence: String, _ kind: Kind) -> String {
        let name =
            switch subject {
            case .device(let name), .group(let name): name
            }
        return Identifier.derived(from: "\(name) \(geofence) \(kind.word)") ?? kind.word
    }
}

/// The rule that a `missed` event is about, as it was when that was told.
public struct MissedRule: Hashable, Sendable {
    public var id: String
    public var expectation: PresenceRule.Expectation
    public var timeZone: String
    /// False when the device has never sent a position: then the event's fix says nothing.
    public var hasPosition: Bool

    public init(id: String, expectation: PresenceRule.Expectation, timeZone: String, hasPosition: Bool) {
        self.id = id
        self.expectation = expectation
        self.timeZone = timeZone
        self.hasPosition = hasPosition
    }
}
