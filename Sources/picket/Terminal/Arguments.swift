import Foundation
import Geodesy
import Model
import Service

/// An option of a command.
struct Option {
    /// Including the dashes.
    var name: String
    /// The placeholder for its value in the help; nil for an option without a value.
    var value: String?
    var help: String
    var isRepeatable = false
    /// The allowed values, if they are few.
    var choices: [String] = []

    /// An option with a value.
    init(_ name: String, _ value: String, isRepeatable: Bool = false, _ help: String) {
        self.name = name
        self.value = value
        self.help = help
        self.isRepeatable = isRepeatable
    }

    /// An option without a value.
    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    /// A copy of the option with these allowed values.
    func choosing(_ choices: [String]) -> Option {
        var option = self
        option.choices = choices
        return option
    }

    /// A copy of the option with the raw values of a type as allowed values.
    func choosing<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> Option where Value.RawValue == String {
        choosing(Value.allCases.map(\.rawValue))
    }

    /// The options of every command.
    static let common = [
        Option("--data", "DIR", "The data directory; else $PICKET_DATA, else ~/.local/share/picket"),
        Option("--language", "TAG", "Of problems: en or tr; else by $PICKET_LANGUAGE, $LC_ALL, $LC_MESSAGES or $LANG")
            .choosing(Language.self),
        Option("--json", "For machines: one JSON document, or one object a line"),
        Option("--help", "This help"),
    ]
}

/// A command of `picket`.
struct Command: Sendable {
    /// As it is typed, without `picket`.
    var name: String
    /// One line.
    var summary: String
    /// The placeholders for its arguments in the help.
    var arguments: String = ""
    /// The minimum and maximum number of arguments.
    var count: ClosedRange<Int> = 0...0
    /// The allowed arguments, if they are few.
    var choices: [String] = []
    var options: [Option] = []
    /// A longer description, in the help and the manual page.
    var discussion: String = ""
    /// Complete command lines as examples.
    var examples: [String]
    var run: @Sendable (Invocation) throws(Problem) -> ExitStatus

    func printHelp(to output: Output) {
        output.print("\(summary)")
        output.print()
        output.print("Usage: picket \(name)\(arguments.isEmpty ? "" : " " + arguments) [options]")
        if !discussion.isEmpty {
            output.print()
            output.print(discussion)
        }
        output.print()
        output.print("Options:")
        for option in options + Option.common {
            let left = "  \(option.name)\(option.value.map { " " + $0 } ?? "")"
            output.print("\(left.padding(30)) \(option.help)\(option.isRepeatable ? " (repeatable)" : "")")
        }
        output.print()
        output.print(examples.count == 1 ? "Example:" : "Examples:")
        for example in examples { output.print("  \(example)") }
    }
}

/// A command with its arguments and options.
struct Invocation {
    let command: Command
    let words: [String]
    let environment: [String: String]
    let output: Output
    /// The file descriptor for notices about the connection to a service.
    var errorDescriptor = STDERR_FILENO
    /// The clock that the command waits with.
    var clock = BlockingClock.system
    private let values: [String: [String]]

    /// Parses what follows a command's name.
    ///
    /// - Throws: `Problem.usage` for an unknown option, a missing or extra value, and a wrong number of arguments.
    init(
        _ command: Command, _ arguments: [String], environment: [String: String], output: Output
    ) throws(Problem) {
        self.command = command
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
            let known = command.options + Option.common
            guard let option = known.first(where: { $0.name == parts[0] || $0.name == "--help" && parts[0] == "-h" }) else {
                let similar = Suggestions.similar(to: parts[0], among: known.map(\.name))
                throw .usage(
                    reason: similar.first.map { .noOptionSimilar(command.name, parts[0], $0) }
                        ?? .noOption(command.name, parts[0]),
                    help: help)
            }
            if option.value == nil {
                guard parts.count == 1 else { throw .usage(reason: .takesNoValue(option.name), help: help) }
                values[option.name] = ["yes"]
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw .usage(reason: .optionNeedsValue(option.name, option.value ?? ""), help: help)
            }
            if !option.isRepeatable, values[option.name] != nil {
                throw .usage(reason: .givenTwice(option.name), help: help)
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

    func has(_ option: String) -> Bool { values[option] != nil }
    func value(_ option: String) -> String? { values[option]?.last }
    func all(_ option: String) -> [String] { values[option] ?? [] }
    var isJSON: Bool { has("--json") }

    /// The options that narrow a list, such as "--matching school --group family"; nil when none is given.
    func filter(_ options: String...) -> String? {
        let given = options.compactMap { option in value(option).map { "\(option) \(Wording.printable($0))" } }
        return given.isEmpty ? nil : given.joined(separator: " ")
    }

    func number(_ option: String, in range: ClosedRange<Double>, _ expected: Expectation) throws(Problem) -> Double? {
        guard let text = value(option) else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw .validationFailed(
                field: option, value: text, reason: Double(text) == nil ? .notANumber : .outOfRange,
                expected: expected)
        }
        return number
    }

    /// The seconds of a length of time, which may also be written without a unit.
    ///
    /// - Parameter alternative: What else the option takes, as "none for never".
    func duration(
        _ option: String, in range: ClosedRange<Double>, or alternative: Expectation? = nil
    ) throws(Problem) -> Double? {
        try value(option).map { text throws(Problem) in
            try TimeSpan.seconds(text, field: option, in: range, acceptsBareSeconds: true, or: alternative)
        }
    }

    func whole(_ option: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .validationFailed(
                field: option, value: text, reason: Int(text) == nil ? .notAWholeNumber : .outOfRange,
                expected: .wholeNumberIn(range.lowerBound, range.upperBound))
        }
        return number
    }

    func instant(_ option: String) throws(Problem) -> Instant? {
        guard let text = value(option) else { return nil }
        if let instant = Instant(text) ?? Instant(text + "T00:00:00Z") { return instant }
        throw .validationFailed(
            field: option, value: text, reason: .notATime, expected: .time)
    }

    func oneOf<Value: RawRepresentable & CaseIterable>(_ option: String, _ type: Value.Type) throws(Problem) -> Value?
    where Value.RawValue == String {
        guard let text = value(option) else { return nil }
        guard let value = Value(rawValue: text) else {
            throw .validationFailed(
                field: option, value: text, reason: .noSuchValue,
                expected: .oneOf(Value.allCases.map(\.rawValue)))
        }
        return value
    }

    /// Parses a circle written as `LAT,LON,RADIUS`, in degrees and meters.
    static func circle(_ text: String, field: String) throws(Problem) -> Circle {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingCharacters(in: .whitespaces))
        }
        guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
            throw .validationFailed(
                field: field, value: text, reason: .notThreeNumbers,
                expected: .circleOption)
        }
        return Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
    }

    /// Parses a comma-separated list; `none` is the empty list. Nil without the option.
    func list(_ option: String) -> [String]? {
        guard let text = value(option) else { return nil }
        return text == "none" ? [] : text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Parses a policy given by name or as JSON. Nil without the option.
    func policy(_ option: String) throws(Problem) -> PolicyOverride? {
        guard let text = value(option) else { return nil }
        if text == "none" { return PolicyOverride() }
        guard text.hasPrefix("{") else { return try PolicyOverride(json: .string(text)) }
        let json: JSONValue
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(text)
        } catch {
            throw .validationFailed(field: option, value: text, reason: .notJSON(error.reason), expected: .policyJSON)
        }
        return try PolicyOverride(json: json)
    }

    /// The language of texts about problems.
    var language: Language { Picket.language(words: value("--language"), environment) }

    // MARK: - The service

    var directory: DataDirectory {
        value("--data").map(DataDirectory.init(path:)) ?? DataDirectory.standard(environment)
    }

    /// Opens the store of the data directory for writing, for commands that no running service can perform.
    func writingService() throws(Problem) -> ServiceWriter {
        try refuseNamedService()
        return tellCare(try ServiceWriter(directory, purpose: command.name))
    }

    /// Opens the store of the data directory for reading. It appears empty when it does not exist yet.
    func readingService() throws(Problem) -> ServiceReader {
        try refuseNamedService()
        let service = try ServiceReader(directory)
        let settings = try settings()
        service.appReportMaxAge = settings.appReportMaxAge
        service.supportContact = settings.supportContact
        return tellCare(service)
    }

    /// Reports on standard error what was repaired in the data directory, and where a copy of the store was made before an update of its
    /// schema.
    func tellCare<Service: Queries>(_ service: Service) -> Service {
        if let care = service.care { tell(care) }
        if let copy = service.copyBeforeUpdate {
            let notes = Output(descriptor: STDERR_FILENO, environment: environment)
            notes.print("The store was brought up to date. As it was, it is kept in \(copy)")
        }
        return service
    }

    func tell(_ care: DirectoryCare) {
        let notes = Output(descriptor: STDERR_FILENO, environment: environment)
        for line in care.lines(directory) { notes.print(Wording.printable(line, atMost: 2000)) }
    }
}
