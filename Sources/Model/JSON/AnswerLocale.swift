/// What the texts of an answer depend on, besides the value.
package struct AnswerLocale: Sendable {
    package var language: Language
    /// The time zone of times in sentences.
    package var zone: LocalTimeZone
    /// Where people get help; see `Problem.recoveryAction(contact:)`.
    package var contact: SupportContact?

    package init(_ language: Language = .english, zone: LocalTimeZone = .utc, contact: SupportContact? = nil) {
        self.language = language
        self.zone = zone
        self.contact = contact
    }
}
