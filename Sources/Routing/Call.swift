import Core
import Model
import Service

/// An authenticated request with its body.
package struct Call: Sendable {
    package var head: Head
    package var body: [UInt8]
    /// The threads for the work of the request.
    package let store: StoreThreads
    /// Answer the queries of the request, including those for the rest of an answer that is being sent.
    package let readers: Readers
    /// Checks, when the writer's turn comes, that the token of the request was not revoked meanwhile; nil for a request without a token.
    package let admission: Writer.Admission?

    /// - Parameter isHeavy: Whether the queries of the request take long; see `Route.isHeavy(for:)`.
    package init(
        head: Head, body: [UInt8] = [], store: StoreThreads, isHeavy: Bool = false, admission: Writer.Admission? = nil
    ) {
        self.admission = admission
        self.head = head
        self.body = body
        self.store = store
        readers = isHeavy ? store.heavyReaders : store.readers
    }

    /// The client, for the queries of the request.
    package var client: QueryClient { head.client }

    package var target: Target { head.target }

    /// Performs a change of the store for the request, and waits until it is saved. The token is checked again before, because the request may
    /// have waited. Otherwise a report with the token of an erased device would create the device again.
    package func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        try await store.writer.perform { [admission] service throws(Problem) in
            try admission?()
            return try body(service)
        }
    }

    /// The value of the first path parameter.
    package var id: String { head.parameters.first ?? "" }

    /// The language and the contact for the answer.
    package var locale: AnswerLocale { AnswerLocale(head.language, contact: store.settings.supportContact) }

    /// The body parsed as JSON.
    package func json() throws(Problem) -> JSONValue {
        do throws(JSONParser.Failure) {
            return try JSONParser.parse(body)
        } catch {
            throw .decodingFailed(source: .body, line: nil, reason: .notJSON(error.reason))
        }
    }

    /// The value of a required query field.
    package func required(_ name: String) throws(Problem) -> String {
        guard let text = target[name], !text.isEmpty else {
            throw .missing(name, Phrase("the \(name) that is meant"))
        }
        return text
    }

    /// The time zone in `timezone`; nil when it is missing.
    package func timeZone() throws(Problem) -> LocalTimeZone? {
        try target["timezone"].map { name throws(Problem) in try LocalTimeZone(named: name, field: "timezone") }
    }

    /// Reads times in query fields. A time without a zone is in the zone in `timezone`, or else in the service's.
    package func timeReader() throws(Problem) -> TimeReader {
        TimeReader(now: store.clock.now(), zone: try timeZone() ?? store.settings.timeZone)
    }

    /// The time in a query field; for a day or a month, its first moment.
    package func instant(_ name: String) throws(Problem) -> Instant? {
        // A zone that does not exist is refused even if there is no time.
        let reader = try timeReader()
        return try target[name].map { text throws(Problem) in try reader.moments(text, field: name).start }
    }

    /// The period in `since` and `until`.
    ///
    /// - Throws: `Problem.validationFailed` when it ends before it begins.
    package func period() throws(Problem) -> (since: Instant?, until: Instant?) {
        try Period.read(since: target["since"], until: target["until"], by: timeReader())
    }

    /// Whether the client names a media type among those that it accepts.
    package func accepts(_ type: String) -> Bool { head.accept?.contains(type) == true }

    package func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = target[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .validationFailed(
                field: name, value: text, reason: Int(text) == nil ? .notAWholeNumber : .outOfRange,
                expected: .wholeNumberIn(range.lowerBound, range.upperBound))
        }
        return number
    }

    package func number(_ name: String, in range: ClosedRange<Double>, _ expected: Phrase) throws(Problem) -> Double? {
        guard let text = target[name] else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw .validationFailed(
                field: name, value: text, reason: Double(text) == nil ? .notANumber : .outOfRange,
                expected: expected)
        }
        return number
    }

    /// The seconds of a length of time, which may also be written without a unit.
    package func duration(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        try target[name].map { text throws(Problem) in
            try TimeSpan.seconds(text, field: name, in: range, acceptsBareSeconds: true)
        }
    }

    package func flag(_ name: String) throws(Problem) -> Bool {
        guard let text = target[name] else { return false }
        switch text {
        case "", "true", "1", "yes": return true
        case "false", "0", "no": return false
        default: throw .validationFailed(field: name, value: text, reason: .neither, expected: .trueOrFalse)
        }
    }

    /// The maximum number of elements: the query field `limit`, 1 … 10,000; 1,000 by default.
    package func limit() throws(Problem) -> Int { try integer("limit", in: Self.limits) ?? 1000 }

    package static let limits = 1...10_000

    package func oneOf<Value: RawRepresentable & CaseIterable>(_ name: String, _ type: Value.Type) throws(Problem) -> Value?
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
