import Model

/// The description of a route in `/openapi.json`.
package struct RouteDescription: Sendable {
    package struct Parameter: Sendable {
        package var name: String
        package var text: String
        /// The schema of the value.
        package var schema: JSONValue
        package var isRequired: Bool
        /// Whether the value is a list with commas between its items.
        package var isList: Bool
        /// Whether the field can be given several times.
        package var isRepeatable: Bool

        /// - Parameters:
        ///   - type: The type in JSON Schema: `string`, `number`, `integer` or `boolean`.
        ///   - range: The smallest and the largest number.
        ///   - values: The words that are accepted; empty for all texts.
        package init(
            _ name: String, _ text: String, type: String = "string", isRequired: Bool = false, isList: Bool = false,
            isRepeatable: Bool = false, in range: ClosedRange<Int>? = nil, oneOf values: [String] = []
        ) {
            self.name = name
            self.text = text
            self.isRequired = isRequired
            self.isList = isList
            self.isRepeatable = isRepeatable
            let value = JSONValue.compact([
                ("type", .string(type)), ("minimum", range.map { JSONValue($0.lowerBound) }),
                ("maximum", range.map { JSONValue($0.upperBound) }),
                ("enum", values.isEmpty ? nil : .array(values.map(JSONValue.string))),
            ])
            schema = isList || isRepeatable ? ["type": "array", "items": value] : value
        }
    }

    /// A description of one line.
    package var summary: String
    /// The fields of the query.
    package var query: [Parameter] = []
    /// The content types and schemas of the body, such as `("application/json", "Geofence")`.
    package var body: [(type: String, schema: String)] = []
    /// The schema of a successful answer; nil when it has no body.
    package var answer: String?
    package var answerType = "application/json"
    /// Other content types of the answer, with their schemas.
    package var otherAnswers: [(type: String, schema: String)] = []
    /// The status of a successful answer.
    package var status = 200
    /// Other statuses of successful answers.
    package var otherStatuses: [Int] = []
    /// Whether the answer has an `ETag`, which can be used in preconditions.
    package var isTagged = false
    /// Whether `If-Match` and `If-None-Match` apply to each of several changes.
    package var hasConditionsForEach = false

    package init(
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
