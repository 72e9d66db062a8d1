import Model
import Service

/// One thing that the service can be asked, with what `/openapi.json` says of it.
struct Route: Sendable {
    /// Who may ask.
    enum Access: String, Sendable {
        /// Everybody.
        case open
        /// Any token but one that only sends positions.
        case reader
        /// A token of the role `admin`.
        case admin
        /// A token that may send positions, for its own device at least.
        case ingest
    }

    /// Where the answer is made.
    enum Work: Sendable {
        /// At once, on the HTTP thread: it must not take long.
        case now(@Sendable (API, Call) throws(Problem) -> Response)
        /// By a reader, beside whoever writes.
        case read(@Sendable (Queries, Call) throws(Problem) -> Response)
        /// By the writer; answered when it is kept.
        case write(@Sendable (ServiceWriter, Call) throws(Problem) -> Response)
        /// By a task of its own.
        case task(@Sendable (API, Call) async throws(Problem) -> Response)
        /// Takes the body piece by piece.
        case handler(@Sendable (API, Head) throws(Problem) -> any RequestHandler)
    }

    var method: String
    /// As `/v1/devices/{id}/track`.
    var path: String
    var access: Access
    var about: About
    var work: Work
    /// Whether the token may stand in the query, for apps that can send no header.
    var takesTokenField = false

    /// Whether only the dashboard's own pages may ask.
    var isForPages = false

    /// The name of that field.
    static let tokenField = "token"
    /// Bytes that its body may have; nil for what holds for all.
    var maxBody: Int?

    init(_ method: String, _ path: String, _ access: Access, _ about: About, _ work: Work) {
        self.method = method
        self.path = path
        self.access = access
        self.about = about
        self.work = work
        pattern = path.split(separator: "/").map(String.init)
    }

    private let pattern: [String]

    /// Whether `If-Match` is looked at: where there is a version of the thing that the path names, or of each that the body names.
    var takesIfMatch: Bool { about.isTagged && method != "POST" || about.hasConditionsForEach }

    /// The values of the pattern's names, in order; nil when the path is another.
    func match(_ segments: [String]) -> [String]? {
        guard segments.count == pattern.count else { return nil }
        var values: [String] = []
        for (part, segment) in zip(pattern, segments) {
            if part.hasPrefix("{") {
                // As {id}:dismiss
                let suffix = part.drop { $0 != "}" }.dropFirst()
                guard segment.hasSuffix(suffix), segment.count > suffix.count else { return nil }
                values.append(String(segment.dropLast(suffix.count)))
            } else if part != segment {
                return nil
            }
        }
        return values
    }
}

extension Route {
    /// What `/openapi.json` says of a route.
    struct About: Sendable {
        struct Parameter: Sendable {
            var name: String
            var text: String
            /// A JSON schema's type, as `string`, `number`, `integer`, `boolean`.
            var type = "string"

            init(_ name: String, _ text: String, type: String = "string") {
                self.name = name
                self.text = text
                self.type = type
            }
        }

        /// One line.
        var summary: String
        /// What may stand in the query.
        var query: [Parameter] = []
        /// The content types and schemas of the body, as `("application/json", "Geofence")`.
        var body: [(type: String, schema: String)] = []
        /// The schema of a good answer; nil when there is no body.
        var answer: String?
        var answerType = "application/json"
        /// Other content types that the answer can have, with their schemas.
        var otherAnswers: [(type: String, schema: String)] = []
        /// The status of a good answer.
        var status = 200
        /// Other statuses of good answers.
        var otherStatuses: [Int] = []
        /// Whether the answer has an `ETag`, and changes can be made on the condition of one.
        var isTagged = false
        /// Whether `If-Match` and `If-None-Match` hold for each of several changes.
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
