import Core
import Foundation
import Model
import Settings

/// Reports problems on standard error.
package struct ProblemPrinter {
    private let isJSON: Bool
    private let language: Language
    /// The data directory whose settings may name a support contact.
    private let directory: DataDirectory
    private let environment: [String: String]

    /// For the problems of a command that was parsed.
    package init(_ invocation: Invocation) {
        isJSON = invocation.isJSON
        language = invocation.language
        directory = invocation.directory
        environment = invocation.environment
    }

    /// For problems with arguments that may not name a command.
    package init(_ arguments: [String], _ environment: [String: String]) {
        func value(_ option: String) -> String? { arguments.firstIndex(of: option).flatMap { arguments.dropFirst($0 + 1).first } }
        isJSON = arguments.contains("--json")
        language = Language(tag: value("--language"), environment)
        directory = value("--data").map(DataDirectory.init(path:)) ?? DataDirectory.defaultDirectory(environment)
        self.environment = environment
    }

    /// - Parameter remark: Added to the title, with a leading space; for example, that a phone is simulated.
    package func print(_ problem: Problem, remark: String = "") {
        let output = Output(descriptor: STDERR_FILENO, environment: environment)
        let contact = contact(for: problem)
        if isJSON {
            output.print(JSONValue.object([.init("problem", problem.json(in: language, contact: contact))]).description)
        } else {
            let message = Format.printable(problem.message.text(in: language), atMost: 2000)
            output.print("\(Color.red(problem.title.text(in: language), on: output))\(remark): \(message)")
            if let details = problem.details(in: language) { output.print(Color.dim("  \(details)", on: output)) }
            switch problem {
            case .unauthorized, .forbidden, .sessionExpired:
                let hint = Phrase(
                    "'picket token create' creates a token, 'picket token list' shows the roles, and --token passes a token.")
                output.print("  " + hint.text(in: language))
            default: break
            }
            if let contact, problem.recoveryAction(contact: contact) == .contactSupport {
                output.print("  " + contact.hint.text(in: language))
            }
        }
        output.flush()
    }

    /// The support contact, for a problem whose recovery action is to contact support; nil for other problems, and when no contact can be
    /// read from the settings.
    private func contact(for problem: Problem) -> SupportContact? {
        guard problem.recoveryAction == .contactSupport else { return nil }
        do throws(Problem) {
            return try Settings(flags: [:], environment: environment, dataDirectory: directory.path).supportContact
        } catch {
            // Unusable settings are a different problem from the one being reported.
            return nil
        }
    }
}

extension Language {
    /// The language in a tag, else that of the environment, else English.
    package init(tag: String?, _ environment: [String: String]) {
        self = tag.flatMap(Language.init(tag:)) ?? Language.standard(environment)
    }
}
