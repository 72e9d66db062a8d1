import Model
import Service
import ToolSupport

/// `picket explain`: shows why a transition was or was not emitted.
enum ExplainCommand {
    static let command = Command(
        name: "explain", summary: "Why did it fire, or why not?",
        options: [
            Option("--device", value: "ID", help: "Whose fixes"),
            Option("--geofence", value: "ID", help: "Which geofence"),
            Option("--at", value: "TIME", help: "The moment, as 2026-05-01T10:00:00Z; else the device's newest fix"),
            Option("--around", value: "N", help: "So many fixes before it and after it; else 5"),
        ] + Option.client,
        discussion: """
            Judges the device's stored fixes once more, by the geofence as it was for each, and shows those around the moment: how
            far each lies from the boundary, how much of its accuracy counts, what it says by itself, what was known before and
            after it, and the rule that held. The first line says for that moment whether the device was in the geofence and why, and
            names its visit, or else the visits before and after, to be asked about by --at.
            """,
        examples: [
            "picket explain --device anna-phone --geofence school",
            "picket explain --device anna-phone --geofence school --at 2026-05-01T10:03:12Z --around 10",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        var question = Explanation.Question(
            deviceId: try requiredValue("--device", in: invocation), geofenceId: try requiredValue("--geofence", in: invocation),
            at: try invocation.instant("--at"))
        if let around = try invocation.integer("--around", in: Explanation.Question.allowedAround) { question.around = around }
        let found = try invocation.queryBackend().explanation(of: question, in: invocation.language)
        if invocation.isJSON {
            invocation.output.print(found.description)
        } else {
            try ExplanationPrinter(output: invocation.output, language: invocation.language).print(
                Answer(found, source: "the explanation"))
        }
        return .done
    }

    private static func requiredValue(_ option: String, in invocation: Invocation) throws(Problem) -> String {
        guard let value = invocation.value(option) else {
            throw .usage(reason: .optionMissing(option), help: "picket explain --help")
        }
        return value
    }
}
