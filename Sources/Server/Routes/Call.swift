import Model
import Service
import Settings

/// The head of an authenticated request.
struct Head: Sendable {
    /// The values of the path parameters, in order.
    var parameters: [String]
    var target: Target
    var contentType: String
    /// The length of the body in bytes, when the head gives it.
    var contentLength: Int?
    /// The only device that the request may report for, whatever it calls itself; nil for all.
    var onlyDevice: String? { token?.onlyDevice }
    /// The devices that exist for the client; nil for all.
    var scope: DeviceScope? { token?.scope }
    /// The token of the request; nil when it has none.
    var token: Token?
    /// The name of the token.
    var tokenName: String? { token?.name }
    /// The address of the client; nil if it is unknown.
    var address: ClientAddress?
    /// See `Request.presence`.
    var presence: ClientPresence?
    /// Whether the request may change something, so that it is finished although its client has left.
    var hasEffects = false
    /// When the token expires; nil for never.
    var expiresAt: Instant?
    /// Whether the request comes from a command on this machine.
    var isOwnCommand = false
    /// The user name in Basic credentials.
    var user: String?
    var ifMatch: String?
    var ifNoneMatch: String?
    var lastEventID: String?
    /// Whether a minimal answer is preferred: `Prefer: return=minimal` (RFC 7240, 4.2).
    var prefersMinimal = false
    var accept: String?
    /// Whether the answer may be compressed with gzip.
    var acceptsGzip = false
    /// The language of texts for people.
    var language = Language.english
    /// The headers `X-Limit-U` and `X-Limit-D`, in which OwnTracks sends its user and device.
    var limitUser: String?
    var limitDevice: String?
}

extension Head {
    /// The client, for the queries of the request: its token, or else its address.
    var client: QueryClient {
        let name = if let token { "token \(token.id)" } else { address?.name ?? "" }
        guard !hasEffects, let presence else { return QueryClient(scope: scope, name: name) }
        return QueryClient(scope: scope, name: name) { presence.hasLeft }
    }
}

/// An authenticated request with its body.
struct Call: Sendable {
    var head: Head
    var body: [UInt8]
    /// Answer the queries of the request, also those for the rest of an answer that is being sent.
    var readers: Readers

    /// The client, for the queries of the request.
    var client: QueryClient { head.client }

    var target: Target { head.target }

    /// The value of the first path parameter.
    var id: String { head.parameters.first ?? "" }

    /// The body parsed as JSON.
    func json() throws(Problem) -> JSONValue {
        do throws(JSONParser.Failure) {
            return try JSONParser.parse(body)
        } catch {
            throw .decodingFailed(source: .body, line: nil, reason: .notJSON(error.reason))
        }
    }

    /// The value of a required query field.
    func required(_ name: String) throws(Problem) -> String {
        guard let text = target[name], !text.isEmpty else {
            throw .missing(name, Phrase("the \(name) that is meant"))
        }
        return text
    }

    /// The time zone in `timezone`; nil when it is missing.
    func timeZone() throws(Problem) -> LocalTimeZone? {
        try target["timezone"].map { name throws(Problem) in try LocalTimeZone(named: name, field: "timezone") }
    }

    /// Reads times in query fields. A time without a zone is in the zone in `timezone`, or else in the service's.
    func timeReader(_ api: API) throws(Problem) -> TimeReader {
        TimeReader(now: api.store.clock.now(), zone: try timeZone() ?? api.store.settings.timeZone)
    }

    /// The time in a query field; for a day or a month, its first moment.
    func instant(_ name: String, _ api: API) throws(Problem) -> Instant? {
        // A zone that does not exist is refused also if there is no time.
        let reader = try timeReader(api)
        return try target[name].map { text throws(Problem) in try reader.moments(text, field: name).start }
    }

    /// The period in `since` and `until`.
    ///
    /// - Throws: `Problem.validationFailed` when it ends before it begins.
    func period(_ api: API) throws(Problem) -> (since: Instant?, until: Instant?) {
        try Period.read(since: target["since"], until: target["until"], by: timeReader(api))
    }

    /// The filter for events and visits with `device`, `geofence`, `since` and `until`.
    ///
    /// - Throws: See `period(_:)`.
    func eventFilter(_ api: API) throws(Problem) -> Queries.EventFilter {
        let (since, until) = try period(api)
        return Queries.EventFilter(deviceId: target["device"], geofenceId: target["geofence"], since: since, until: until)
    }

    /// Whether the client names a media type among those that it accepts.
    func accepts(_ type: String) -> Bool { head.accept?.contains(type) == true }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = target[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .validationFailed(
                field: name, value: text, reason: Int(text) == nil ? .notAWholeNumber : .outOfRange,
                expected: .wholeNumberIn(range.lowerBound, range.upperBound))
        }
        return number
    }

    func number(_ name: String, in range: ClosedRange<Double>, _ expected: Phrase) throws(Problem) -> Double? {
        guard let text = target[name] else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw .validationFailed(
                field: name, value: text, reason: Double(text) == nil ? .notANumber : .outOfRange,
                expected: expected)
        }
        return number
    }

    /// The seconds of a length of time, which may also be written without a unit.
    func duration(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        try target[name].map { text throws(Problem) in
            try TimeSpan.seconds(text, field: name, in: range, acceptsBareSeconds: true)
        }
    }

    func flag(_ name: String) throws(Problem) -> Bool {
        guard let text = target[name] else { return false }
        switch text {
        case "", "true", "1", "yes": return true
        case "false", "0", "no": return false
        default: throw .validationFailed(field: name, value: text, reason: .neither, expected: .trueOrFalse)
        }
    }

    /// The maximum number of elements: the query field `limit`, 1 … 10,000; 1,000 by default.
    func limit() throws(Problem) -> Int { try integer("limit", in: Self.limits) ?? 1000 }

    static let limits = 1...10_000

    func oneOf<Value: RawRepresentable & CaseIterable>(_ name: String, _ type: Value.Type) throws(Problem) -> Value?
    where Value.RawValue == String {
        guard let text = target[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            throw .validationFailed(
                field: name, value: text, reason: .noSuchValue,
                expected: .oneOf(Value.allCases.map(\.rawValue)))
        }
        return value
    }
}
