// Reads rules as JSON, in the API and in the store.

extension PresenceRule {
    package var json: JSONValue { json(in: AnswerLocale()) }

    /// Decodes a rule.
    ///
    /// - Parameters:
    ///   - id: The rule's id. An id in the JSON must be equal to it. If nil, the id is that in the JSON, or else derived from the rule.
    ///   - now: The default of `since`.
    /// - Throws: `Problem.validationFailed`, which names the field.
    package init(json: JSONValue, id: String?, now: Instant) throws(Problem) {
        var fields = try JSONFields(json, of: .rule)
        let own = try fields.text("id")
        if let id, let own, own != id {
            throw .validationFailed(
                field: "id", value: own, reason: .idDiffers,
                expected: .thisOrNone(id))
        }
        let subject = try Self.subject(&fields)
        let geofences = try Self.geofences(&fields)
        let expectation = try Expectation(&fields)
        let known = id ?? own ?? Self.madeID(of: subject, at: geofences, expectation.kind)
        self.init(id: known, subject: subject, geofences: geofences, expectation: expectation, since: now)
        for field in Self.fields where field.name != "minDuration" || expectation.kind != .staysAtMost {
            try field.read(&self, &fields)
        }
        // Answers have this member, and may be sent back.
        fields.allow("waitsFor")
        try fields.finish()
        if let flaw = Identifier.flaw(inGeofence: known) {
            throw .validationFailed(field: "id", value: known, reason: flaw, expected: .geofenceID)
        }
        if let flaw = Self.fields.flaw(in: self) { throw flaw }
    }

    private static func subject(_ fields: inout JSONFields) throws(Problem) -> Subject {
        let (device, group) = (try fields.text("deviceId"), try fields.text("group"))
        switch (device, group) {
        case (let id?, nil): return .device(id)
        case (nil, let name?) where !name.isEmpty:
            if let flaw = Identifier.flaw(inNames: [name], field: "group") { throw flaw }
            return .group(name)
        case (nil, _):
            throw .validationFailed(
                field: "deviceId", value: "", reason: .subjectMissing,
                expected: Phrase("deviceId, or the group to whose devices it applies"))
        case (_?, let name?):
            throw .validationFailed(
                field: "group", value: name, reason: .deviceAndGroup,
                expected: Phrase("deviceId or group, not both"))
        }
    }

    private static func geofences(_ fields: inout JSONFields) throws(Problem) -> Geofences {
        switch (try fields.text("geofenceId"), try fields.text("label")) {
        case (let id?, nil): return .geofence(id)
        case (nil, let name?) where !name.isEmpty:
            if let flaw = Identifier.flaw(inNames: [name], field: "label") { throw flaw }
            return .label(name)
        case (nil, _): throw .missing("geofenceId", Phrase("geofenceId, or the label of the geofences that it is about"))
        case (_?, let name?):
            throw .validationFailed(
                field: "label", value: name, reason: Phrase("there is a geofenceId, too"),
                expected: Phrase("geofenceId or label, not both"))
        }
    }
}

extension PresenceRule.Expectation {
    init(_ fields: inout JSONFields) throws(Problem) {
        guard let kind = try fields.oneOf("kind", PresenceRule.Kind.self) else {
            throw .missing("kind", .oneOf(PresenceRule.Kind.allCases.map(\.rawValue)))
        }
        switch kind {
        case .entersBy:
            let grace = try fields.number("grace") ?? PresenceRule.defaultGrace
            if let flaw = TimeSpan.flaw(in: grace, field: "grace", range: 0...PresenceRule.maximumGrace) { throw flaw }
            self = .entersBy(try Self.time("by", &fields), from: try Self.start(&fields), grace: grace)
        case .staysAtMost:
            guard let seconds = try fields.number("duration") else {
                throw .missing("duration", .secondsAsNumber)
            }
            if let flaw = TimeSpan.flaw(in: seconds, field: "duration", range: PresenceRule.allowedStays) { throw flaw }
            self = .staysAtMost(seconds)
        case .staysUntil: self = .staysUntil(try Self.time("until", &fields), from: try Self.start(&fields))
        }
    }

    private static func time(_ name: String, _ fields: inout JSONFields) throws(Problem) -> TimeOfDay {
        guard let text = try fields.text(name) else {
            throw .missing(name, .timeOfDay)
        }
        guard let time = TimeOfDay(text) else {
            throw .validationFailed(field: name, value: text, reason: .notATimeOfDay, expected: .timeOfDay)
        }
        return time
    }

    /// The start of a window: midnight by default.
    private static func start(_ fields: inout JSONFields) throws(Problem) -> TimeOfDay {
        if fields.value("from") == nil { return .midnight }
        let time = try time("from", &fields)
        guard time.minutes < 1440 else {
            throw .validationFailed(
                field: "from", value: time.description, reason: Phrase("a time window cannot start at the end of a day"),
                expected: Phrase("00:00 to 23:59"))
        }
        return time
    }
}

extension MissedRule {
    /// The rule as a member of an event.
    package var json: JSONValue { json(in: AnswerLocale()) }

    /// Decodes what `json` writes.
    package init(json: JSONValue, hasPosition: Bool) throws(Problem) {
        var fields = try JSONFields(json, of: .ruleOfEvent)
        let (id, timeZone) = (try fields.text("id"), try fields.text("timeZone"))
        let expectation = try PresenceRule.Expectation(&fields)
        self.init(id: id ?? "", expectation: expectation, timeZone: timeZone ?? "UTC", hasPosition: hasPosition)
    }
}
