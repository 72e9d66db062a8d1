import Model

/// A destination of events, positions or reports.
package struct Sink: Hashable, Sendable {
    /// 1 to 64 characters of `A-Z a-z 0-9 . _ -`, unique in a store.
    package var id: String
    package var target: SinkTarget
    /// Which events are sent.
    package var filter: SinkFilter
    /// Events that were recorded later than this many seconds after they happened are not sent; infinite to send all. The time that an
    /// event waits for the sink does not count, so an outage of the sink loses nothing.
    package var maxAge: Double
    /// Messages beyond this rate wait; none is dropped.
    package var rateLimit: RateLimit?
    /// Whether alarms are sent regardless of the filter.
    package var emergency: Bool
    /// The language of messages for people.
    package var language: Language
    /// The time zone of the filter's windows and of times in messages: a name of the IANA database, or `UTC`.
    package var timeZone: String

    package init(
        id: String, target: SinkTarget, filter: SinkFilter = SinkFilter(), rateLimit: RateLimit? = nil,
        emergency: Bool = true, language: Language = .english, timeZone: String = "UTC"
    ) {
        self.id = id
        self.target = target
        self.filter = filter
        maxAge = target.kind.defaultMaxAge
        self.rateLimit = rateLimit
        self.emergency = emergency
        self.language = language
        self.timeZone = timeZone
    }

    /// Identifies the place where the sink announces devices to Home Assistant, so that two sinks with the same place can be found; nil
    /// when it does not announce.
    package var announcement: String? {
        target.homeAssistant.map { "\(WebAddress.peer(target.address)) \($0.prefix) \($0.base)" }
    }

    /// The source under which the problems of the sink with an id are counted; see `ServiceWriter.record(_:source:)`.
    package static func problemSource(_ id: String) -> String { "sink/\(id)" }

    /// The source of problems with a sink's rejected events. The successful delivery of another event does not resolve them.
    package static func rejectedSource(_ id: String) -> String { problemSource(id, .rejected) }

    /// The source of problems with what a sink announces to Home Assistant.
    package static func discoverySource(_ id: String) -> String { problemSource(id, .discovery) }

    private static func problemSource(_ id: String, _ part: Part) -> String { "\(problemSource(id))/\(part.rawValue)" }

    /// A part of a sink that can fail while the sink itself works.
    package enum Part: String, CaseIterable, Sendable {
        /// The events that the sink rejected permanently.
        case rejected = "parked"
        /// The announcement of devices and geofences to Home Assistant.
        case discovery
    }

    /// The first invalid value as a problem; nil when all are valid.
    package var flaw: Problem? {
        if let reason = Identifier.flaw(inGeofence: id) {
            return .validationFailed(field: "id", value: id, reason: reason, expected: .geofenceID)
        }
        if target.kind.contentKind == .reports, let flaw = filter.flawOfReports { return flaw }
        return target.flaw ?? Self.fields.flaw(in: self)
    }
}

extension Sink {
    /// The settings that sinks of all kinds have.
    package static let fields: [EntityField<Sink>] = [
        .init("filter", .filter, at: \.filter, omitting: SinkFilter()),
        .init(
            "maxAge", optional: .seconds(TimeSpan.moreThanNone...TimeSpan.longest, or: .forever), at: \.maxAgeOfEvents,
            help: "Events that were recorded later than this after they happened are not sent",
            option: .init(
                "DURATION", "for example 24h; forever sends all (24h for notifications, chats and mail, otherwise forever)")),
        .init(
            "rateLimit", optional: .rateLimit, at: \.rateLimit, removal: "none", help: "Maximum rate of messages; others wait",
            option: .init("N/DURATION", "for example 10/1m; 'none' removes the limit", name: "--rate")),
        .init(
            "emergency", .flag("yes", "no"), at: \.emergency,
            help: "Whether emergencies are sent regardless of filters, times and rate", option: .init("YES", builtIn: "yes")),
        .init(
            "language", .word, at: \.language, help: "Language of messages for people",
            option: .init("TAG", Language.tags.text(in: .english), name: "--message-language", builtIn: "en")),
        .init(
            "timeZone", .text, at: \.timeZone,
            help: "Time zone of the filter's times and of messages, for example Europe/Berlin",
            option: .init("NAME", name: "--timezone", builtIn: "that of this machine")),
    ]

    /// The members of `fields` alone; see also `SinkDocument`.
    static let settings = JSONOutput<Sink>("Settings", summary: "Settings of all sinks", fields: fields)

    /// `maxAge` of a sink of events; nil for others.
    private var maxAgeOfEvents: Double? {
        get { target.kind.contentKind == .events ? maxAge : nil }
        set { maxAge = newValue ?? target.kind.defaultMaxAge }
    }

    /// Reads a sink.
    ///
    /// - Parameters:
    ///   - id: The sink's id, which an id in the JSON must match; nil to use the id in the JSON.
    ///   - known: The existing sink. A secret whose mask is in the JSON keeps its existing value.
    /// - Throws: `Problem.validationFailed` with the name of the field.
    package init(json: JSONValue, id: String?, known: Sink? = nil) throws(Problem) {
        var fields = try JSONFields(json, of: .sink)
        let own = try fields.text("id")
        if let id, let own, own != id {
            throw .validationFailed(field: "id", value: own, reason: .idDiffers, expected: .thisOrNone(id))
        }
        guard let kind = try fields.oneOf("kind", SinkKind.self) else {
            throw .missing("kind", .oneOf(SinkKind.allCases.map(\.rawValue)))
        }
        self.init(id: id ?? own ?? kind.rawValue, target: try SinkTarget(kind, &fields, known: known?.target))
        for field in Self.fields { try field.read(&self, &fields) }
        // Fields that only responses have.
        fields.allow("isPaused", "connection", "waiting", "parked", "tooOld", "delivered", "lastDeliveredAt", "movedTo", "cursor")
        try fields.finish()
        if let flaw { throw flaw }
        // A template with an unknown field is refused here, not later when an event is sent.
        _ = try SinkTemplates(target)
    }
}
