import Model

/// The words of one language for events and explanations. A new case does not compile until every language has its words.
package protocol ExplanationCatalog: Sendable {
    var zone: LocalTimeZone { get }
    /// A sentence without a full stop.
    func reason(_ reason: StepReason) -> String
    /// A whole sentence.
    func answer(_ answer: ExplanationAnswer) -> String
    /// Whole sentences.
    func remark(_ remark: ExplanationRemark) -> String
    /// A whole sentence.
    func remedy(_ remedy: ExplanationRemedy) -> String
    /// What an event is, as a verb.
    func verb(_ event: Event) -> String
    /// What an event says beyond device, verb and fence; empty for nothing.
    func remark(on event: Event) -> String
    /// "since 10:00", of a time of day or a whole time.
    func since(_ time: String) -> String
}

extension ExplanationCatalog {
    func time(_ moment: Instant) -> String { Format.time(moment, in: zone) }

    func time(_ moment: Instant, beside other: Instant) -> String { Format.time(moment, beside: other, in: zone) }

    /// Only the time of day when both are of the same day.
    func time(_ time: StepReason.Time) -> String { self.time(time.at, beside: time.other) }
}

extension Language {
    /// - Parameter zone: The zone of the times in the sentences.
    package func explanation(in zone: LocalTimeZone = .utc) -> any ExplanationCatalog {
        self == .turkish ? TurkishExplanation(zone: zone) : EnglishExplanation(zone: zone)
    }
}
