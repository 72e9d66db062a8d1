import Model

/// The texts of one language about what a diagnosis finds.
package protocol DoctorCatalog: Sendable {
    /// Sentences that say what is wrong, and with what.
    ///
    /// - Parameter zone: The time zone of times in the sentences.
    func message(_ finding: DoctorFinding, in zone: LocalTimeZone) -> String
    /// Sentences or a command that say what a person can do about it.
    ///
    /// - Parameter contact: See `Problem.recoveryAction(contact:)`.
    func advice(_ finding: DoctorFinding, _ contact: SupportContact?) -> String
    func area(_ area: DoctorFinding.Area) -> String
    func severity(_ severity: Problem.Severity) -> String
    /// The last line: how many findings there are.
    func summary(errors: Int, warnings: Int, remarks: Int) -> String
}

extension Language {
    package var doctor: any DoctorCatalog {
        self == .turkish ? TurkishDoctor() : EnglishDoctor()
    }
}

extension DoctorCatalog {
    /// The names of files, at most five of them.
    func list(_ names: [String]) -> String {
        let most = 5
        return names.prefix(most).joined(separator: ", ") + (names.count > most ? " … (+\(names.count - most))" : "")
    }

    /// What to do about a problem: the text of its action, with the command that performs it, if there is one.
    func advice(_ problem: Problem, source: String?, _ contact: SupportContact?, in language: Language) -> String {
        let action = problem.recoveryAction(contact: contact)
        let label = action.label.text(in: language)
        if action == .contactSupport, let contact { return "\(label): \(contact.hint.text(in: language))" }
        guard let source, let command = RecoveryCommand.command(action, for: problem, id: nil, source: source)
        else {
            return label
        }
        return "\(label): \(command)"
    }
}
