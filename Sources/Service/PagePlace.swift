import Model

/// Where a page begins in a list, as a text that the page before has said.
protocol PagePlace: LosslessStringConvertible {}

extension PagePlace {
    /// The place that a request names; nil when it names none.
    ///
    /// - Parameters:
    ///   - text: What the page before said in `source`.
    ///   - field: What the request calls it.
    ///   - reason: What is wrong with any other text.
    /// - Throws: `Problem.validationFailed` for a text that is no place.
    static func place(
        _ text: String?, field: String = "after", saidBy source: String = "next", reason: String
    ) throws(Problem) -> Self? {
        guard let text else { return nil }
        if let place = Self(text) { return place }
        throw .validationFailed(field: field, value: text, reason: reason, expected: "what '\(source)' said")
    }
}
