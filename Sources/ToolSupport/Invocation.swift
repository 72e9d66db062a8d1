import Core
import Foundation
import Model
import Workers

/// A command with its arguments and options.
package struct Invocation {
    package let command: Command
    /// The arguments after the command's name, as typed.
    package let arguments: [String]
    package let words: [String]
    package let environment: [String: String]
    package let output: Output
    /// The file descriptor for notices about the connection to a service.
    package var errorDescriptor = STDERR_FILENO
    /// The clock that the command waits with.
    package var clock = BlockingClock.system
    /// The zone of the times that the command prints, and of those in its options that name no zone.
    package var timeZone = LocalTimeZone.utc
    private let values: [String: [String]]

    /// Parses what follows a command's name.
    ///
    /// - Throws: `Problem.usage` for an unknown option, a missing or extra value, and a wrong number of arguments.
    package init(
        _ command: Command, _ arguments: [String], environment: [String: String], output: Output
    ) throws(Problem) {
        self.command = command
        self.arguments = arguments
        self.environment = environment
        self.output = output
        var words: [String] = []
        var values: [String: [String]] = [:]
        let help = "picket \(command.name) --help"
        var rest = arguments[...]
        var onlyWords = false
        while let argument = rest.popFirst() {
            if onlyWords || !argument.hasPrefix("-") || argument == "-" {
                words.append(argument)
                continue
            }
            if argument == "--" {
                onlyWords = true
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let known = command.allOptions
            guard let option = known.first(where: { $0.name == parts[0] || $0.name == "--help" && parts[0] == "-h" }) else {
                if parts[0] == "--server", command.noServer != nil {
                    throw command.problem(withServer: parts.count == 2 ? parts[1] : rest.first ?? "")
                }
                let similar = Suggestions.similar(to: parts[0], among: known.map(\.name))
                throw .usage(
                    reason: similar.first.map {
                        Phrase("'picket \(command.name)' has no option '\(parts[0])'; did you mean '\($0)'?")
                    }
                        ?? Phrase("'picket \(command.name)' has no option '\(parts[0])'"),
                    help: help)
            }
            if option.value == nil {
                guard parts.count == 1 else { throw .usage(reason: Phrase("'\(option.name)' takes no value"), help: help) }
                values[option.name] = ["yes"]
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw .usage(reason: Phrase("'\(option.name)' needs a value: \(option.name) \(option.value ?? "")"), help: help)
            }
            if !option.isRepeatable, values[option.name] != nil {
                throw .usage(reason: Phrase("'\(option.name)' is given twice"), help: help)
            }
            values[option.name, default: []].append(value)
        }
        self.words = words
        self.values = values
        if values["--help"] != nil { return }
        if words.count < command.count.lowerBound {
            throw .usage(reason: .commandNeeds(command.name, command.arguments), help: help)
        }
        if words.count > command.count.upperBound {
            throw .usage(reason: .wordTooMany(words[command.count.upperBound]), help: help)
        }
    }

    // MARK: - Options

    package func has(_ option: String) -> Bool { values[option] != nil }
    package func value(_ option: String) -> String? { values[option]?.last }
    package func all(_ option: String) -> [String] { values[option] ?? [] }
    package var isJSON: Bool { has("--json") }

    /// The value of an option that the command cannot do without.
    package func requiredValue(_ option: String) throws(Problem) -> String {
        guard let value = value(option) else {
            throw .usage(reason: Phrase("\(option) is missing"), help: "picket \(command.name) --help")
        }
        return value
    }

    /// A problem with a given or missing option, which names the option instead of the member in JSON that it sets.
    package func naming(_ problem: Problem) -> Problem {
        guard case .validationFailed(let member, let value, let reason, let expected) = problem,
            let option = command.options.first(where: { $0.member == member }), has(option.name) || value.isEmpty
        else { return problem }
        // One of few values has another form in JSON.
        let given = option.choices.isEmpty ? value : self.value(option.name) ?? value
        return .validationFailed(field: option.name, value: given, reason: reason, expected: expected)
    }

    /// The options that narrow a list, such as "--matching school --group family"; nil when none is given.
    package func filter(_ options: String...) -> String? {
        let given = options.compactMap { option in value(option).map { "\(option) \(Format.printable($0))" } }
        return given.isEmpty ? nil : given.joined(separator: " ")
    }

    package func number(_ option: String, in range: ClosedRange<Double>, _ expected: Phrase) throws(Problem) -> Double? {
        guard let text = value(option) else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw .validationFailed(
                field: option, value: text, reason: Double(text) == nil ? .notANumber : .outOfRange,
                expected: expected)
        }
        return number
    }

    package func integer(_ option: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .validationFailed(
                field: option, value: text, reason: Int(text) == nil ? .notAWholeNumber : .outOfRange,
                expected: .wholeNumberIn(range.lowerBound, range.upperBound))
        }
        return number
    }

    /// Reads times in options.
    package var timeReader: TimeReader { TimeReader(now: clock.now(), zone: timeZone) }

    /// The time in an option; for a day or a month, its first moment.
    package func instant(_ option: String) throws(Problem) -> Instant? {
        try value(option).map { text throws(Problem) in try timeReader.moments(text, field: option).start }
    }

    package func oneOf<Value: RawRepresentable & CaseIterable>(_ option: String, _ type: Value.Type) throws(Problem) -> Value?
    where Value.RawValue == String {
        guard let text = value(option) else { return nil }
        guard let value = Value(rawValue: text) else {
            throw .validationFailed(
                field: option, value: text, reason: .noSuchValue,
                expected: .oneOf(Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// The language of texts about problems.
    package var language: Language { Language(tag: value("--language"), environment) }

    /// A text in the language of the invocation.
    package func text(_ phrase: Phrase) -> String { phrase.text(in: language) }

    /// Prints a text in the language of the invocation.
    package func print(_ phrase: Phrase) { output.print(text(phrase)) }

    /// The data directory that options or the environment name, else the usual one. A command that needs no service, such as `serve` itself,
    /// does not work on the data of an installed one without being asked to.
    package var directory: DataDirectory {
        if let path = value("--data") { return DataDirectory(path: path) }
        if case .needsNoService = command.noServer { return .defaultDirectory(environment, ofPackage: nil) }
        return .defaultDirectory(environment)
    }
}
