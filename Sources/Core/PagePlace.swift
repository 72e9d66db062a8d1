import Model

/// A place in a list, as text that the preceding page contained.
package protocol PagePlace: LosslessStringConvertible {}

extension PagePlace {
    /// Reads the place in a request; nil if the request has none.
    ///
    /// - Parameters:
    ///   - text: The text from the request, which the preceding page contained in `source`.
    ///   - field: The name of the field in the request.
    ///   - reason: The reason to give if the text is invalid.
    /// - Throws: `Problem.validationFailed` if the text is not a place.
    package static func place(
        _ text: String?, field: String = "after", saidBy source: String = "next", reason: Phrase
    ) throws(Problem) -> Self? {
        guard let text else { return nil }
        if let place = Self(text) { return place }
        throw .validationFailed(field: field, value: text, reason: reason, expected: .whatWasSaid(source))
    }
}
