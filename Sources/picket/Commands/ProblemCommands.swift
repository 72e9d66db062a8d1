import Client
import Core
import Model
import Operations
import Service
import ToolSupport

/// The commands `picket problems …`.
enum ProblemCommands {
    static let all = [list, show, dismiss]

    static let list = Command(
        name: "problems", summary: "List current problems, and what to do about each.",
        options: [Option("--all", "Include dismissed problems")] + Option.client,
        discussion: """
            A problem is listed until it is resolved or dismissed. It is escalated when its source has failed three times in a row. A
            dismissed problem is shown again when it changes, when it is escalated, when it has failed twice as often, or after a day.
            The exit status is 1 if there is a problem.
            """,
        examples: ["picket problems", "picket problems show 3", "picket problems dismiss 3"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        var count = 0
        try service.forEachProblem(withDismissed: invocation.has("--all")) {
            standing throws(Problem) in
            if standing["isDismissed"]?.bool != true { count += 1 }
            if invocation.isJSON {
                invocation.output.print(standing.description)
            } else {
                try print(standing, of: service, invocation)
            }
        }
        if count == 0, !invocation.isJSON { invocation.print(Phrase("No open problems.")) }
        return count == 0 ? .done : .needsAttention
    }

    static let show = Command(
        name: "problems show", summary: "Show a problem with all its details.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket problems show 3"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let standing = try service.problem(id: invocation.words[0])
        let output = invocation.output
        if invocation.isJSON {
            output.print(standing.description)
            return .done
        }
        try print(standing, of: service, invocation)
        let values: [String?] = [
            standing["firstAt"]?.string.flatMap(Instant.init).map { Format.time($0, in: invocation.timeZone) },
            standing["lastAt"]?.string.flatMap(Instant.init).map { Format.time($0, in: invocation.timeZone) },
            standing["problem"]?["severity"]?.string, standing["problem"]?["code"]?.string,
            standing["problem"]?["details"]?.string.map { Format.printable($0, atMost: 2000) },
        ]
        let labels = Phrase("first|last|severity|code|details").parts(in: invocation.language)
        for (label, value) in zip(labels, values) {
            if let value { output.print("    \(label.padding(9)) \(value)") }
        }
        return .done
    }

    static let dismiss = Command(
        name: "problems dismiss", summary: "Hide a problem until it changes, or for a day.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket problems dismiss 3"]
    ) { invocation throws(Problem) in
        let standing = try invocation.editor().dismiss(problem: invocation.words[0])
        invocation.print(
            standing,
            or: Phrase("Dismissed problem \(invocation.words[0]). It is shown again when it changes, or after a day."))
        return .done
    }

    /// Prints a problem as `GET /v1/problems` lists it: what it is, its source, how often it occurred, and the recommended action.
    private static func print(_ standing: JSONValue, of service: ServiceClient, _ invocation: Invocation) throws(Problem) {
        let output = invocation.output
        let problem = standing["problem"] ?? .null
        let failures = Int(standing["consecutiveFailures"]?.double ?? 1)
        var remarks = [Phrase(failures, one: "once", other: "\(failures) times")]
        if standing["isEscalated"]?.bool == true { remarks.append(Phrase("escalated")) }
        if standing["isDismissed"]?.bool == true { remarks.append(Phrase("dismissed")) }
        let id = standing["id"]?.string ?? ""
        let source = Format.printable(standing["source"]?.string ?? "")
        output.print(
            "\(id)  \(Color.bold(problem["title"]?.string ?? "", on: output))  \(source)\(try simulated(source, service, in: invocation.language)) "
                + "(\(remarks.map(invocation.text).joined(separator: ", ")))")
        output.print("    " + Format.printable(problem["message"]?.string ?? "", atMost: 2000))
        let label = problem["recoveryAction"]?["label"]?.string ?? ""
        let contact = problem["recoveryAction"]?["contact"]?.string.flatMap(SupportContact.init)
        let command =
            contact.map { $0.hint.text(in: invocation.language) }
            ?? RecoveryCommand.command(
                problem["recoveryAction"]?["kind"]?.string.flatMap(Problem.RecoveryAction.init(rawValue:)),
                for: Problem(document: problem), id: id, source: source)
        output.print("    → \(label)\(command.map { ": \($0)" } ?? "")")
    }

    /// A remark for problems of a simulated phone; empty for other sources.
    private static func simulated(
        _ source: String, _ service: ServiceClient, in language: Language
    ) throws(Problem) -> String {
        let source = ProblemSource(source)
        guard source.family == "registry", let device = source.deviceID else { return "" }
        do throws(Problem) {
            return Format.simulated(try service.device(id: device).registry, in: language)
        } catch .notFound {
            return ""
        }
    }
}
