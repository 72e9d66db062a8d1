import Core
import Foundation
import Model
import Places
import ToolSupport

/// The command line: finds the command, runs it and reports problems.
@main
enum Picket {
    /// The version that `--version` prints.
    static let version = "1.0.0"

    static let commands: [Command] = {
        let parts: [[Command]] = [
            [DemoCommand.command, ServeCommand.command],
            GeofenceCommands.all,
            DeviceCommands.all,
            GroupCommands.all,
            [FeedCommand.command],
            QueryCommands.all, [VisitCommand.command, StopCommand.command, ReportCommand.command],
            [ExplainCommand.command],
            [HealthCommand.command, FixRegistrationCommand.command],
            RegistryCommands.all, [CoverageCommand.command, CompareCommand.command],
            ProblemCommands.all, [SupportBundleCommand.command],
            AlarmCommands.all, RuleCommands.all,
            SinkCommands.all,
            TokenCommands.all,
            [ConfigCommand.command],
            [ReplayCommand.command],
            [CheckCommand.command, DoctorCommand.command],
            BackupCommands.all,
            [DeviceDataCommands.compact],
            [BenchCommand.command],
            DocumentCommands.all, [IdentifierCommand.command],
        ]
        return Array(parts.joined())
    }()

    static func main() {
        ProcessList.hideSecrets()
        let environment = ProcessInfo.processInfo.environment
        let output = Output(descriptor: STDOUT_FILENO, environment: environment)
        let status = run(Array(CommandLine.arguments.dropFirst()), environment, output)
        output.flush()
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String], _ environment: [String: String], _ output: Output) -> ExitStatus {
        do throws(Problem) {
            guard let (command, rest) = try find(arguments, output) else { return .done }
            var invocation = try Invocation(command, rest, environment: environment, output: output)
            if invocation.has("--help") {
                command.printHelp(to: output)
                return .done
            }
            invocation.noteDirectoryOfPackage()
            invocation.timeZone = invocation.readersTimeZone
            let ended = Result { () throws(Problem) in try command.run(invocation) }.mapError(invocation.naming)
            try invocation.directory.giveBack()
            return try ended.get()
        } catch {
            output.flush()
            ProblemPrinter(arguments, environment).print(error)
            return ExitStatus(error)
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
            case "--data", "--language", "--timezone":
                guard let value = rest.popFirst() else {
                    throw .usage(reason: .needsValue(first), help: "picket --help")
                }
                before += [first, value]
            default: before.append(first)
            }
        }
        guard let first = rest.first else {
            if let unknown = before.first(where: { word in word.hasPrefix("-") && !Option.common.contains { $0.name == word } }) {
                throw .usage(reason: Phrase("'picket' has no option '\(unknown)'"), help: "picket --help")
            }
            if !before.isEmpty { throw .usage(reason: Phrase("A command is missing after the options"), help: "picket --help") }
            printHelp(to: output)
            return nil
        }
        if first == "help" {
            let topic = rest.dropFirst().filter { !$0.hasPrefix("-") }
            if !topic.isEmpty { return try find(topic, output).map { ($0.0, ["--help"]) } }
            printHelp(to: output)
            return nil
        }
        if let second = rest.dropFirst().first, let command = commands.first(where: { $0.name == "\(first) \(second)" }) {
            return (command, before + rest.dropFirst(2))
        }
        let family = commands.filter { $0.name.hasPrefix(first + " ") }
        let single = commands.first { $0.name == first }
        // A noun that is itself a command, such as `problems`, takes no arguments, so a word after it is meant as an action.
        if !family.isEmpty, let second = rest.dropFirst().first, !second.hasPrefix("-"), single?.count.upperBound ?? 0 == 0 {
            let actions = family.map { String($0.name.dropFirst(first.count + 1)) }
            throw .usage(
                reason: ActionSynonyms.command(first, second, actions: actions, isCommand: single != nil).map {
                    Phrase("'picket \(first)' has no '\(second)'; did you mean 'picket \($0)'?")
                } ?? .noAction(first, second, actions: actions), help: "picket --help")
        }
        if let single { return (single, before + rest.dropFirst()) }
        if !family.isEmpty {
            output.print("Usage: picket \(first) COMMAND")
            output.print()
            for command in family { output.print("  \(command.name.padding(24)) \(command.summary)") }
            return nil
        }
        let names = commands.map { String($0.name.split(separator: " ")[0]) }
        let similar = Suggestions.similar(to: first, among: Array(Set(names)).sorted())
        throw .usage(
            reason: similar.first.map { Phrase("There is no command '\(first)'; did you mean 'picket \($0)'?") }
                ?? Phrase("There is no command '\(first)'"),
            help: "picket --help")
    }

    private static func printHelp(to output: Output) {
        output.print("Picket monitors geofences: it receives positions and reports which devices enter, exit and stay.")
        output.print()
        output.print("Usage: picket [--data DIR] COMMAND [options]")
        output.print()
        for command in commands { output.print("  \(command.name.padding(20)) \(command.summary)") }
        output.print()
        output.print("'picket COMMAND --help' explains a command, with examples. Start with 'picket demo'.")
        output.print("Exit status: 0 success, 1 done but something is wrong, 2 wrong usage, 3 failure.")
    }

    private static let refused = Phrase("Refused")

    /// Reports on standard error what was refused, and why.
    static func warn(_ refusal: Refusal, in language: Language, _ environment: [String: String]) {
        let output = Output(descriptor: STDERR_FILENO, environment: environment)
        let place = [refusal.file, refusal.line.map { Phrase("line \(plain: $0)").text(in: language) }].compactMap { $0 }.joined(
            separator: ", ")
        let value = refusal.value.isEmpty ? "" : " '\(Format.printable(refusal.value))'"
        output.print(
            "\(Color.yellow(refused.text(in: language), on: output)): \(place): \(refusal.field)\(value): "
                + "\(refusal.reason.text(in: language)).")
        output.flush()
    }

    /// Reports on standard error the first parts of a file that were refused, and how many others were.
    static func warn(_ refusals: BoundedList<Refusal>, in language: Language, _ environment: [String: String]) {
        for refusal in refusals { warn(refusal, in: language, environment) }
        if refusals.total == refusals.count { return }
        let output = Output(descriptor: STDERR_FILENO, environment: environment)
        let rest = Phrase("and \(refusals.total - refusals.count) more").text(in: language)
        output.print("\(Color.yellow(refused.text(in: language), on: output)): \(rest).")
        output.flush()
    }

    /// Prints what a person should know about a file, although nothing was refused.
    static func note(_ remark: Phrase, path: String, in language: Language, _ environment: [String: String]) {
        let output = Output(descriptor: STDERR_FILENO, environment: environment)
        output.print(Phrase("Note: \(path): \(remark).").text(in: language))
        output.flush()
    }
}

extension Invocation {
    /// Prints a problem to standard error; see `ProblemPrinter`.
    func report(_ problem: Problem, remark: String = "") { ProblemPrinter(self).print(problem, remark: remark) }
}
