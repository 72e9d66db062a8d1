/// The details of an alarm event.
package struct Alarm: Hashable, Sendable {
    /// A geofence that the device was inside.
    package struct Place: Hashable, Sendable {
        package var geofenceId: String
        package var geofenceName: String

        package init(geofenceId: String, geofenceName: String) {
            self.geofenceId = geofenceId
            self.geofenceName = geofenceName
        }
    }

    /// The acknowledgment of an alarm by a person.
    package struct Acknowledgement: Hashable, Sendable {
        /// When the alarm was acknowledged.
        package var at: Instant
        /// The name that the person gave; nil when none was given.
        package var by: String?

        package init(at: Instant, by: String?) {
            self.at = at
            self.by = by
        }
    }

    /// The name that the device gave the alarm, such as `sos` or `lowBattery`: 1 to 64 characters. Several names are separated by commas.
    package var kind: String
    /// The geofences that the device was inside when the alarm arrived.
    package var inside: [Place]
    /// False when the device has never sent a usable position; then the event's fix only has a time.
    package var hasPosition: Bool
    /// The emergency number to call, or several separated by commas. It belongs to the device's time zone, not to its position.
    package var emergencyNumber: String
    /// Nil while the alarm is not acknowledged.
    package var acknowledgement: Acknowledgement?

    package init(
        kind: String, inside: [Place], hasPosition: Bool, emergencyNumber: String, acknowledgement: Acknowledgement? = nil
    ) {
        self.kind = kind
        self.inside = inside
        self.hasPosition = hasPosition
        self.emergencyNumber = emergencyNumber
        self.acknowledgement = acknowledgement
    }

    /// Whether the alarm's kind means that a person may be in danger.
    ///
    /// The kinds are those of Traccar's position attribute `alarm`, and the words of other trackers with the same meaning.
    package var isOfDanger: Bool { Self.isDanger(kind) }

    /// Whether a kind of alarm means that a person may be in danger; see `isOfDanger`.
    package static func isDanger(_ kind: String) -> Bool {
        kind.split(separator: ",").contains { kindsOfDanger.contains(letters(of: $0)) }
    }

    /// A kind in lowercase letters, because protocols spell it differently, such as `fallDown` and `fall_down`.
    package static func letters(of kind: some StringProtocol) -> String { kind.lowercased().filter(\.isLetter) }

    private static let kindsOfDanger: Set = [
        "sos", "panic", "panicbutton", "emergency", "help", "duress", "medical", "mandown", "fall", "falldown", "falldetected",
        "accident", "crash", "fire", "general",
    ]

    /// An alarm that arrives with more than this delay in seconds, such as one in a recorded track, is history: one day.
    package static let longestDelay = 86_400.0
}

extension Event {
    /// How urgent the event is. An event that is recorded more than a day after it occurred is history, and so `.normal`.
    package var urgency: EventUrgency {
        guard recordedAt - occurredAt <= Alarm.longestDelay else { return .normal }
        if type == .missed { return .warning }
        return alarm.map { $0.isOfDanger ? .emergency : .warning } ?? .normal
    }

    /// Whether the event is an emergency that is not acknowledged.
    package var isOpenEmergency: Bool { urgency == .emergency && alarm?.acknowledgement == nil }
}
