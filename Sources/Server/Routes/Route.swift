import Model
import Service

/// A route of the HTTP interface, with its description in `/openapi.json`.
struct Route: Sendable {
    /// Who may use a route.
    enum Access: String, Sendable {
        /// All clients, without a token.
        case open
        /// Any token except one that only reports positions.
        case reader
        /// A token with the role `admin`.
        case admin
        /// A token that may report positions, at least for its own device.
        case ingest
    }

    /// What a token that is restricted to some devices gets of a route.
    enum Restricted: String, Sendable {
        /// What it gets has no data of devices, or only data of the token's devices. Devices outside of the token's scope do not exist.
        case allowed
        /// Nothing: 403, because the answer is about all devices together.
        case refused
    }

    /// Where and how a request is answered.
    enum Work: Sendable {
        /// On the HTTP thread. The work must not block.
        case now(@Sendable (API, Call) throws(Problem) -> Response)
        /// By a reader, concurrently with the writer; by one of those for heavy queries if the route says so.
        case read(@Sendable (Queries, Call) throws(Problem) -> Response)
        /// By the writer; answered when the transaction is committed.
        case write(@Sendable (ServiceWriter, Call) throws(Problem) -> Response)
        /// In a task of its own.
        case task(@Sendable (API, Call) async throws(Problem) -> Response)
        /// By a handler that receives the body in parts.
        case handler(@Sendable (API, Head) throws(Problem) -> any RequestHandler)
    }

    var method: String
    /// A path such as `/v1/devices/{id}/track`.
    var path: String
    var access: Access
    var description: About
    var work: Work
    /// What a token that is restricted to some devices gets; nil for routes that no such token can use, which are those of admins and those
    /// without a token. A route for readers or for reports must have a value: while it has none, such tokens are refused.
    var restricted: Restricted?
    /// Whether the query may contain the token, for apps that cannot send headers.
    let takesTokenField: Bool

    /// Whether only pages of the dashboard may use the route.
    let isForPages: Bool

    /// Whether the query may contain a stream token; see `StreamTokens`.
    let takesStreamToken: Bool

    /// Whether a query of the route takes long with many devices or geofences; see `StoreThreads.heavyReaders`.
    var isHeavy = false
    /// The fields of the query with which it takes long, unless they are `false`.
    var heavyFields: [String] = []

    /// Whether a query takes long with many devices, geofences or positions.
    func isHeavy(for target: Target) -> Bool {
        isHeavy || heavyFields.contains { name in target[name].map { $0 != "false" } ?? false }
    }

    /// Whether a request may take much memory although its body and its answer are small. Open routes, which are asked often, do not.
    func takesMuchMemory(for target: Target) -> Bool {
        if case .task = work, access != .open { true } else { isHeavy(for: target) }
    }

    /// Whether a request may change something. Then it is finished although its client has left.
    var hasEffects: Bool {
        switch work {
        case .read: false
        case .now, .write, .task, .handler: method != "GET" || access == .ingest
        }
    }

    /// The name of the query field with the token.
    static let tokenField = "token"
    /// The name of the query field with a stream token.
    static let streamTokenField = "access_token"
    /// The largest body in bytes; nil for the general limit.
    let maxBody: Int?

    init(
        _ method: String, _ path: String, access: Access, restricted: Restricted? = nil, takesTokenField: Bool = false,
        isForPages: Bool = false, takesStreamToken: Bool = false, isHeavy: Bool = false, heavyFields: [String] = [],
        maxBody: Int? = nil, about: About, work: Work
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.restricted = restricted
        self.takesTokenField = takesTokenField
        self.isForPages = isForPages
        self.takesStreamToken = takesStreamToken
        self.isHeavy = isHeavy
        self.heavyFields = heavyFields
        self.maxBody = maxBody
        self.description = about
        self.work = work
        pattern = path.split(separator: "/").map(String.init)
    }

    private let pattern: [String]

    /// Whether `If-Match` is evaluated: for routes whose path or body names resources with a version.
    var takesIfMatch: Bool { description.isTagged && method != "POST" || description.hasConditionsForEach }

    /// The number of characters of the path's parts that are not parameters.
    var fixedCharacters: Int { pattern.reduce(0) { $0 + ($1.hasPrefix("{") ? Self.suffix(of: $1) : $1[...]).count } }

    /// What follows the parameter in a part of the pattern, such as `:dismiss` in `{id}:dismiss`.
    private static func suffix(of part: String) -> Substring { part.drop { $0 != "}" }.dropFirst() }

    /// The values of the path parameters, in order; nil when the path does not match.
    func match(_ target: Target) -> [String]? {
        let segments = target.segments
        guard segments.count == pattern.count else { return nil }
        var values: [String] = []
        for (part, segment) in zip(pattern, segments) {
            if part.hasPrefix("{") {
                let suffix = Self.suffix(of: part)
                // Only the last part has a suffix. Its colon is not encoded, unlike that of an id.
                guard suffix.isEmpty || target.path.hasSuffix(suffix), segment.hasSuffix(suffix), segment.count > suffix.count
                else {
                    return nil
                }
                values.append(String(segment.dropLast(suffix.count)))
            } else if part != segment {
                return nil
            }
        }
        return values
    }
}

extension Route {
    /// The description of a route in `/openapi.json`.
    struct About: Sendable {
        struct Parameter: Sendable {
            var name: String
            var text: String
            /// The schema of the value.
            var schema: JSONValue
            var isRequired: Bool
            /// Whether the value is a list with commas between its items.
            var isList: Bool

            /// - Parameters:
            ///   - type: The type in JSON Schema: `string`, `number`, `integer` or `boolean`.
            ///   - range: The smallest and the largest number.
            ///   - values: The words that are accepted; empty for all texts.
            init(
                _ name: String, _ text: String, type: String = "string", isRequired: Bool = false, isList: Bool = false,
                in range: ClosedRange<Int>? = nil, oneOf values: [String] = []
            ) {
                self.name = name
                self.text = text
                self.isRequired = isRequired
                self.isList = isList
                let value = JSONValue.compact([
                    ("type", .string(type)), ("minimum", range.map { JSONValue($0.lowerBound) }),
                    ("maximum", range.map { JSONValue($0.upperBound) }),
                    ("enum", values.isEmpty ? nil : .array(values.map(JSONValue.string))),
                ])
                schema = isList ? ["type": "array", "items": value] : value
            }
        }

        /// A description of one line.
        var summary: String
        /// The fields of the query.
        var query: [Parameter] = []
        /// The content types and schemas of the body, such as `("application/json", "Geofence")`.
        var body: [(type: String, schema: String)] = []
        /// The schema of a successful answer; nil when it has no body.
        var answer: String?
        var answerType = "application/json"
        /// Other content types of the answer, with their schemas.
        var otherAnswers: [(type: String, schema: String)] = []
        /// The status of a successful answer.
        var status = 200
        /// Other statuses of successful answers.
        var otherStatuses: [Int] = []
        /// Whether the answer has an `ETag`, which can be used in preconditions.
        var isTagged = false
        /// Whether `If-Match` and `If-None-Match` apply to each of several changes.
        var hasConditionsForEach = false

        init(
            _ summary: String, query: [Parameter] = [], body: [(type: String, schema: String)] = [], answer: String? = nil,
            answerType: String = "application/json", otherAnswers: [(type: String, schema: String)] = [], status: Int = 200,
            otherStatuses: [Int] = [], isTagged: Bool = false, hasConditionsForEach: Bool = false
        ) {
            self.summary = summary
            self.query = query
            self.body = body
            self.answer = answer
            self.answerType = answerType
            self.otherAnswers = otherAnswers
            self.status = status
            self.otherStatuses = otherStatuses
            self.isTagged = isTagged
            self.hasConditionsForEach = hasConditionsForEach
        }
    }
}
