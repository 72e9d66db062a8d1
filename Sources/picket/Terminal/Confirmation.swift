import Foundation
import Model
import ToolSupport

extension Option {
    /// `--yes`, for commands that ask before they delete something; see `Invocation.confirm(_:)`.
    static let yes = Option("--yes", "Do not ask")
}

extension Invocation {
    /// Asks on the terminal whether to continue, unless `--yes` is given.
    ///
    /// - Throws: `Problem.cancelled` for any answer but yes; `Problem.usage` when there is no terminal to ask on.
    func confirm(_ question: @autoclosure () -> Phrase) throws(Problem) {
        if has("--yes") { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage(
                reason: Phrase("This cannot be undone, and there is no terminal for the question: add --yes"),
                help: "picket \(command.name) --help")
        }
        // The answers that mean yes, in lowercase letters, with spaces between them.
        let yes = text(Phrase("y yes")).split(separator: " ")
        let terminal = Output(descriptor: STDERR_FILENO, environment: environment)
        terminal.write("\(text(question())) \(text(Phrase("[y/N]"))) ")
        terminal.flush()
        guard let answer = readLine(), yes.contains(answer.lowercased()[...]) else { throw .cancelled }
    }
}
