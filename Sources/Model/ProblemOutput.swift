extension Problem: JSONWritable {
    /// The members of `{"problem": …}` in the output of the command line and the service.
    package static let output = JSONOutput<Problem>(
        "ProblemWords", summary: "What is wrong",
        .init("code", kind: .text, summary: "The kind of the problem, the same in every language", content: \.code),
        .init("title", kind: .text, summary: "A few words") { $0.title.text(in: $1.language) },
        .init("message", kind: .text, summary: "What happened, to which object, why, and what to do") {
            $0.message.text(in: $1.language)
        },
        .init("details", optional: .text, summary: "What the system or the other side reported") {
            $0.details(in: $1.language)
        },
        .init("icon", kind: .text, summary: "The name of a symbol to show with it", content: \.icon),
        .init("severity", kind: .word, summary: "How serious it is", content: \.severity),
        .init("recoveryAction", kind: .object(of: RecoveryAction.output), summary: "The recommended action") {
            $0.recoveryAction(contact: $1.contact)
        },
        .init("isRetryable", kind: .flag, summary: "Whether the same action may succeed later", content: \.isRetryable),
        .init(
            "requiresReauthentication", kind: .flag, summary: "Whether a person must sign in first",
            content: \.requiresReauthentication),
        .init(
            "parameters", kind: .anyObject,
            summary: "The values in the texts, such as field, reason, limit; they depend on the code",
            content: { $0.parameters.members ?? [] }))

    /// The problem as a JSON object.
    ///
    /// - Parameters:
    ///   - language: The language of the texts.
    ///   - contact: The support contact; see `recoveryAction(contact:)`.
    public func json(in language: Language = .english, contact: SupportContact? = nil) -> JSONValue {
        json(in: AnswerLocale(language, contact: contact))
    }
}

extension Problem.RecoveryAction {
    package static let output = JSONOutput<Problem.RecoveryAction>(
        "RecoveryAction", summary: "What a person can do about a problem",
        .init("kind", kind: .word, summary: "The action", content: \.self),
        .init("label", kind: .text, summary: "The label of its button") { $0.label.text(in: $1.language) },
        .init(
            "contact", optional: .text,
            summary: "With contactSupport: a mail address, or a URL that begins with https://; omitted when none is set"
        ) { action, locale in action == .contactSupport ? locale.contact?.description : nil })
}
