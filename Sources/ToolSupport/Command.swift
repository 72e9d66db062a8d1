import Core
import Model

/// A command of `picket`.
package struct Command: Sendable {
    /// The command as it is typed, without `picket`.
    package var name: String
    /// A description of one line.
    package var summary: String
    /// The placeholders for its arguments in the help.
    package var arguments: String
    /// The minimum and maximum number of arguments.
    package var count: ClosedRange<Int>
    /// The allowed arguments, if they are few.
    package var choices: [String]
    package var options: [Option]
    /// A longer description, in the help and the manual page.
    package var discussion: String
    /// Why the command has no `--server`; nil if it has.
    package var noServer: NoServer?
    /// Complete command lines as examples.
    package var examples: [String]
    package var run: @Sendable (Invocation) throws(Problem) -> ExitStatus

    /// Why a command has no `--server`, as a clause.
    package enum NoServer: Sendable {
        /// It works on files of the service, so it has to run on the machine of the service.
        case worksOnFilesOfService(Phrase)
        case needsNoService(Phrase)

        package var reason: Phrase {
            switch self {
            case .worksOnFilesOfService(let reason), .needsNoService(let reason): reason
            }
        }
    }

    package init(
        name: String, summary: String, arguments: String = "", count: ClosedRange<Int> = 0...0, choices: [String] = [],
        options: [Option] = [], discussion: String = "", noServer: NoServer? = nil, examples: [String],
        run: @escaping @Sendable (Invocation) throws(Problem) -> ExitStatus
    ) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.count = count
        self.choices = choices
        self.options = options
        self.discussion = discussion
        self.noServer = noServer
        self.examples = examples
        self.run = run
    }

    /// Its own options, and the common ones to which it does not give another meaning.
    package var allOptions: [Option] {
        options + Option.common.filter { common in !options.contains { $0.name == common.name } }
    }

    /// The sentence for the help about why there is no `--server`; empty if there is.
    package var remarkOnServer: String {
        noServer.map { "There is no --server: \($0.reason.text(in: .english))." } ?? ""
    }

    /// The usage problem of the command with the setting `server`, or with `--server`.
    package func problem(withServer server: String) -> Problem {
        let reason =
            switch noServer {
            case .worksOnFilesOfService(let reason):
                Phrase(
                    """
                    'picket \(name)' does not work through a service (\(server)): \(reason). Run it on the machine of the service, \
                    without '--server' and without the setting 'server'
                    """)
            case .needsNoService(let reason):
                Phrase(
                    """
                    'picket \(name)' does not work through a service (\(server)): \(reason). Run it without '--server' and without \
                    the setting 'server'
                    """)
            case nil:
                Phrase(
                    """
                    'picket \(name)' works on a data directory itself and cannot ask \(server). Run it on that machine, without \
                    the setting 'server'
                    """)
            }
        return .usage(reason: reason, help: "picket \(name) --help")
    }

    package func printHelp(to output: Output) {
        output.print("\(summary)")
        output.print()
        output.print("Usage: picket \(name)\(arguments.isEmpty ? "" : " " + arguments) [options]")
        for text in [discussion, remarkOnServer] where !text.isEmpty {
            output.print()
            output.print(text)
        }
        output.print()
        output.print("Options:")
        for option in allOptions {
            let left = "  \(option.name)\(option.value.map { " " + $0 } ?? "")"
            output.print("\(left.padding(30)) \(option.help)\(option.isRepeatable ? " (repeatable)" : "")")
        }
        output.print()
        output.print(examples.count == 1 ? "Example:" : "Examples:")
        for example in examples { output.print("  \(example)") }
    }
}
