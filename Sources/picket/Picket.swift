import Foundation
import Model
import Service
import Settings

/// The command line: finds the command, runs it and reports problems.
@main
enum Picket {
    /// The version that `--version` prints.
    static let version = "0.1.0"

    static let commands: [Command] =
        [DemoCommand.command, ServeCommand.command]
        + GeofenceCommands.all
        + DeviceCommands.all
        + GroupCommands.all
        + [FeedCommand.command]
        + QueryCommands.all + [VisitCommand.command]
        + [ExplainCommand.command]
        + [HealthCommand.command, FixRegistrationCommand.command]
        + RegistryCommands.all
        + ProblemCommands.all
        + [ReportCommand.command]
        + AlarmCommands.all + RuleCommands.all
        + SinkCommands.all
        + TokenCommands.all
        + [ConfigCommand.command]
        + [ReplayCommand.command]
        + [CheckCommand.command]
        + BackupCommands.all
        + [DeviceDataCommands.compact]
        + [BenchCommand.command]
        + DocumentCommands.all

    static func main() {
        ProcessList.hideSecrets()
        let environment = ProcessInfo.processInfo.environment
        let output = Output(descriptor: STDOUT_FILENO, environment: environment)
        let status = run(Array(CommandLine.arguments.dropFirst()), environment, output)
        output.flush()
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String], _ environment: [String: String], _ output: Output) -> ExitStatus {
        let isJSON = arguments.contains("--json")
        let tag = arguments.firstIndex(of: "--language").flatMap { arguments.dropFirst($0 + 1).first }
        let language = language(words: tag, environment)
        let data = arguments.firstIndex(of: "--data").flatMap { arguments.dropFirst($0 + 1).first }
        let directory = data.map(DataDirectory.init(path:)) ?? DataDirectory.standard(environment)
        do throws(Problem) {
            guard let (command, rest) = try find(arguments, output) else { return .done }
            let invocation = try Invocation(command, rest, environment: environment, output: output)
            if invocation.has("--help") {
                command.printHelp(to: output)
                return .done
            }
            let ended = Result { () throws(Problem) in try command.run(invocation) }
            try invocation.directory.giveBack()
            return try ended.get()
        } catch {
            output.flush()
            let contact = SupportContact.known(to: error, environment, directory)
            report(error, isJSON: isJSON, in: language, contact: contact, environment)
            if case .usage = error { return .wrongUsage }
            if case .notFound = error { return .wrongUsage }
            if case .conflict = error { return .wrongUsage }
            switch error {
            case .preconditionFailed, .cursorGone: return .wrongUsage
            default: break
            }
            if case .validationFailed = error { return .wrongUsage }
            return .failed
        }
    }

    /// The command that the first words name, and the arguments after it. Nil when help or the version was requested and printed.
    private static func find(_ arguments: [String], _ output: Output) throws(Problem) -> (Command, [String])? {
        // The common options may precede the command.
        var before: [String] = []
        var rest = arguments[...]
        while let first = rest.first, first.hasPrefix("-") {
            rest.removeFirst()
            switch first {
            case "--help", "-h":
                printHelp(to: output)
                return nil
            case "--version":
                output.print("picket \(version)")
                return nil
            case "--data", "--language":
                guard let value = rest.popFirst() else {
                    throw .usage(reason: .needsValue(first), help: "picket --help")
                }
                before += [first, value]
            default: before.append(first)
            }
        }
        guard let first = rest.first else {
            printHelp(to: output)
            return nil
        }
        if first == "help" {
            let wanted = rest.dropFirst().joined(separator: " ")
            guard let command = commands.first(where: { $0.name == wanted }) else {
                printHelp(to: output)
                return nil
            }
            return (command, ["--help"])
        }
        if let second = rest.dropFirst().first, let command = commands.first(where: { $0.name == "\(first) \(second)" }) {
            return (command, before + rest.dropFirst(2))
        }
        if let command = commands.first(where: { $0.name == first }) { return (command, before + rest.dropFirst()) }
        let family = commands.filter { $0.name.hasPrefix(first + " ") }
        if !family.isEmpty {
            if let second = rest.dropFirst().first, !second.hasPrefix("-") {
                let actions = family.map { String($0.name.dropFirst(first.count + 1)) }
                let similar = Suggestions.similar(to: second, among: actions)
                throw .usage(
                    reason: similar.first.map { .noActionSimilar(first, second, $0) } ?? .noAction(first, second, actions),
                    help: "picket --help")
            }
            output.print("Usage: picket \(first) COMMAND")
            output.print()
            for command in family { output.print("  \(command.name.padding(24)) \(command.summary)") }
            return nil
        }
        let names = commands.map { String($0.name.split(separator: " ")[0]) }
        let similar = Suggestions.similar(to: first, among: Array(Set(names)).sorted())
        throw .usage(
            reason: similar.first.map { .noCommandSimilar(first, $0) } ?? .noCommand(first),
            help: "picket --help")
    }

    private static func printHelp(to output: Output) {
        output.print("Picket watches geofences: it takes positions and tells who entered, left and stayed.")
        output.print()
        output.print("Usage: picket [--data DIR] COMMAND [options]")
        output.print()
        for command in commands { output.print("  \(command.name.padding(20)) \(command.summary)") }
        output.print()
        output.print("'picket COMMAND --help' says more of each, with examples. Start with 'picket demo'.")
        output.print("Exit status: 0 done, 1 done but not well, 2 wrong usage, 3 could not.")
    }

    /// The language in a tag, else that of the environment, else English.
    static func language(words tag: String?, _ environment: [String: String]) -> Language {
        tag.flatMap(Language.init(tag:)) ?? Language.standard(environment)
    }

    /// Reports a problem on standard error.
    ///
    /// - Parameters:
    ///   - remark: Added to the title, with a leading space; such as that a phone is simulated.
    ///   - contact: The support contact to name, if any.
    static func report(
        _ problem: Problem, remark: String = "", isJSON: Bool, in language: Language, contact: SupportContact?,
        _ environment: [String: String]
    ) {
        let output = Output(descriptor: STDERR_FILENO, environment: environment)
        if isJSON {
            output.print(JSONValue.object([.init("problem", problem.json(in: language, contact: contact))]).description)
        } else {
            let words = language.words
            let message = Wording.printable(words.message(problem), atMost: 2000)
            output.print("\(Color.red(words.title(problem), on: output))\(remark): \(message)")
            if let details = problem.details { output.print(Color.dim("  \(details)", on: output)) }
            if let contact, problem.recoveryAction(contact: contact) == .contactSupport {
                output.print("  " + words.askForHelp(contact))
            }
        }
        output.flush()
    }

    /// Reports on standard error what was refused, and why.
    static func warn(_ refusal: Refusal, in language: Language, _ environment: [String: String]) {
        let output = Output(descriptor: STDERR_FILENO, environment: environment)
        let place = [refusal.file, refusal.line.map { "line \($0)" }].compactMap { $0 }.joined(separator: ", ")
        let value = refusal.value.isEmpty ? "" : " '\(Wording.printable(refusal.value))'"
        output.print(
            "\(Color.yellow("Refused", on: output)): \(place): \(refusal.field)\(value): "
                + "\(language.words.words(refusal.reason)).")
        output.flush()
    }
}

extension Invocation {
    /// Reports a problem on standard error; see `Picket.report`.
    func report(_ problem: Problem, remark: String = "") {
        Picket.report(
            problem, remark: remark, isJSON: isJSON, in: language,
            contact: SupportContact.known(to: problem, environment, directory), environment)
    }
}

extension SupportContact {
    /// The support contact, for a problem whose recovery action is to contact support; nil for other problems, and when no contact can be
    /// read from the settings.
    fileprivate static func known(
        to problem: Problem, _ environment: [String: String], _ directory: DataDirectory
    ) -> SupportContact? {
        guard problem.recoveryAction == .contactSupport else { return nil }
        do throws(Problem) {
            return try Settings(flags: [:], environment: environment, dataDirectory: directory.path).supportContact
        } catch {
            // Unusable settings are another problem than the one being reported.
            return nil
        }
    }
}
