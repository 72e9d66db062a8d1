import Model

/// The words of one language for events and explanations. A new case does not compile until every language has its words.
package protocol ExplanationCatalog: Sendable {
    /// A sentence without a full stop.
    func reason(_ reason: StepReason) -> String
    /// A whole sentence.
    func answer(_ answer: ExplanationAnswer) -> String
    /// Whole sentences.
    func remark(_ remark: ExplanationRemark) -> String
    /// What an event is, as a verb.
    func verb(_ event: Event) -> String
    /// What an event says beyond device, verb and fence; empty for nothing.
    func remark(on event: Event) -> String
    /// "since 10:00", of a time of day or a whole time.
    func since(_ time: String) -> String
}

extension Language {
    package var explanation: any ExplanationCatalog {
        switch self {
        case .english: EnglishExplanation()
        case .turkish: TurkishExplanation()
        }
    }
}

extension StepReason.Time: CustomStringConvertible {
    /// Only the time of day when both are of the same day; the same in every language.
    package var description: String { Format.time(at, beside: other) }
}
