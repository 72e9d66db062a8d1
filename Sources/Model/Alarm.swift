/// What is known of an alarm beyond its event.
public struct Alarm: Hashable, Sendable {
    /// A geofence that the device was in.
    public struct Place: Hashable, Sendable {
        public var geofenceId: String
        public var geofenceName: String

        public init(geofenceId: String, geofenceName: String) {
            self.geofenceId = geofenceId
            self.geofenceName = geofenceName
        }
    }

    /// That a person has seen it.
    public struct Acknowledgement: Hashable, Sendable {
        public var at: Instant
        /// Who it was, as they say; nil when they do not.
        public var by: String?

        public init(at: Instant, by: String?) {
            self.at = at
            self.by = by
        }
    }

    /// What the device called it, as `sos` or `lowBattery`: 1 to 64 characters. Several stand side by side with commas.
    public var kind: String
    /// The geofences that the device was in when the alarm came.
    public var inside: [Place]
    /// False when the device has never sent a position that could be used: then the event's fix has only a time.
    public var hasPosition: Bool
    /// Whom to call where it was raised.
    public var emergencyNumber: String
    /// Nil while nobody has acknowledged it.
    public var acknowledgement: Acknowledgement?

    public init(
        kind: String, inside: [Place], hasPosition: Bool, emergencyNumber: String, acknowledgement: Acknowledgement? = nil
    ) {
        self.kind = kind
        self.inside = inside
        self.hasPosition = hasPosition
        self.emergencyNumber = emergencyNumber
        self.acknowledgement = acknowledgement
    }

    /// Whether its kind says that a person may be in danger.
    ///
    /// The kinds are those of Traccar's position attribute `alarm`, and words that other trackers use for the same.
    public var isOfDanger: Bool {
        kind.split(separator: ",").contains { word in
            let plain = word.lowercased().filter { $0.isLetter }
            return Self.kindsOfDanger.contains(plain)
        }
    }

    private static let kindsOfDanger: Set = [
        "sos", "panic", "panicbutton", "emergency", "help", "duress", "medical", "mandown", "fall", "falldown", "falldetected",
        "accident", "crash", "fire", "general",
    ]

    /// An alarm that is this many seconds old when it comes is history, as of a recorded track: a day.
    public static let longestDelay = 86_400.0
}

/// An alarm as an input has it.
public struct AlarmReport: Hashable, Sendable {
    /// Nil when the input does not say which device it is.
    public var device: String?
    /// See `Alarm.kind`.
    public var kind: String
    /// Nil when the input does not say when.
    public var time: Instant?
    /// Where; nil when it came without a position that can be used.
    public var fix: Fix?

    public init(device: String?, kind: String, time: Instant?, fix: Fix?) {
        self.device = device
        self.kind = kind
        self.time = time
        self.fix = fix
    }
}

extension Event {
    /// What is more than a day old when it is told is history.
    public var urgency: EventUrgency {
        guard recordedAt - occurredAt <= Alarm.longestDelay else { return .normal }
        if type == .missed { return .warning }
        return alarm.map { $0.isOfDanger ? .emergency : .warning } ?? .normal
    }

    /// Whether it is an emergency that nobody has acknowledged.
    public var isOpenEmergency: Bool { urgency == .emergency && alarm?.acknowledgement == nil }
}

extension Alarm {
    /// `{"kind","inside":[{"geofenceId","geofenceName"}],"emergencyNumber","acknowledgedAt","acknowledgedBy"}`
    public var json: JSONValue {
        .compact([
            ("kind", .string(kind)),
            (
                "inside",
                .array(
                    inside.map {
                        ["geofenceId": .string($0.geofenceId), "geofenceName": .string($0.geofenceName)]
                    })
            ),
            ("emergencyNumber", .string(emergencyNumber)),
            ("acknowledgedAt", acknowledgement.map { JSONValue($0.at) }),
            ("acknowledgedBy", (acknowledgement?.by).map(JSONValue.string)),
        ])
    }
}
