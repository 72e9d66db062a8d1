import Model

/// A destination of events or positions.
package struct Sink: Hashable, Sendable {
    /// 1 to 64 of `A-Z a-z 0-9 . _ -`, unique in a store.
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

    /// - Parameter maxAge: Nil for the default of the kind.
    package init(
        id: String, target: SinkTarget, filter: SinkFilter = SinkFilter(), maxAge: Double? = nil, rateLimit: RateLimit? = nil,
        emergency: Bool = true, language: Language = .english, timeZone: String = "UTC"
    ) {
        self.id = id
        self.target = target
        self.filter = filter
        self.maxAge = maxAge ?? target.kind.defaultMaxAge
        self.rateLimit = rateLimit
        self.emergency = emergency
        self.language = language
        self.timeZone = timeZone
    }

    /// Identifies the place where the sink announces devices to Home Assistant, so that two sinks with the same place can be found; nil
    /// when it does not announce.
    package var announcement: String? {
        guard case .mqtt(let target) = target, let discovery = target.discovery else { return nil }
        return "\(WebAddress.peer(target.url)) \(discovery.prefix) \(discovery.base)"
    }

    /// The source under which the problems of the sink with an id are counted; see `ServiceWriter.record(_:source:)`.
    package static func problemSource(_ id: String) -> String { "sink/\(id)" }

    /// The first invalid value as a problem; nil when all are valid.
    package var flaw: Problem? {
        if let reason = Identifier.flaw(inGeofence: id) {
            return .validationFailed(field: "id", value: id, reason: reason, expected: .geofenceID)
        }
        return target.flaw
    }
}

extension Sink {
    /// The sink's secrets, to be removed from texts of other parties.
    package var secrets: [String] {
        switch target {
        case .web(let target):
            [target.token, target.signingSecret].compactMap { $0 } + target.headers.map(\.value)
                + WebAddress.secrets(of: target.url)
                + (target.kind == .slack || target.kind == .mattermost || target.kind == .homeAssistant
                    ? [WebAddress.path(of: target.url)] : [])
        case .mail(let target): [target.password].compactMap { $0 } + WebAddress.secrets(of: target.server)
        case .mqtt(let target): WebAddress.secrets(of: target.url)
        case .positions(let target): [target.token].compactMap { $0 } + WebAddress.secrets(of: target.url)
        case .file, .command: []
        }
    }
}
