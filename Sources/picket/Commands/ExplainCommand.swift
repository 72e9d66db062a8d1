import Client
import History
import Model
import ToolSupport

/// `picket explain`: shows why a transition was or was not emitted.
enum ExplainCommand {
    static let command = Command(
        name: "explain", summary: "Explain why a device entered or left a geofence, or did not.",
        options: [
            Option("--device", value: "ID", help: "The device"),
            Option("--geofence", value: "ID", help: "The geofence"),
            Option(
                "--at", value: "TIME",
                help: "The time, for example 08:00 (today), '2026-10-05 08:00' or RFC 3339; default: the newest position"),
            Option("--around", value: "N", help: "Number of positions to show before and after that time; default: 5"),
        ] + Option.client,
        discussion: """
            Evaluates the device's stored positions again, each with the geofence as it was then, and shows those around the time: the
            distance from the boundary, the accuracy used, the result of the position alone, the state before and after, and the
            reason. The first line says whether the device was in the geofence at that time and why, and names the visit, or the
            visits before and after.
            """,
        examples: [
            "picket explain --device anna-phone --geofence school",
            "picket explain --device anna-phone --geofence school --at 2026-05-01T10:03:12Z --around 10",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        var question = Explanation.Question(
            deviceId: try invocation.requiredValue("--device"), geofenceId: try invocation.requiredValue("--geofence"),
            at: try invocation.instant("--at"))
        if let around = try invocation.integer("--around", in: Explanation.Question.allowedAround) { question.around = around }
        // Times in JSON are in UTC, including those in sentences.
        let zone = invocation.isJSON ? .utc : invocation.timeZone
        let found = try invocation.reader().explanation(of: question, zone: zone)
        if invocation.isJSON {
            invocation.output.print(found.description)
        } else {
            try ExplanationPrinter(invocation).print(Answer(found, source: .explanation))
        }
        return .done
    }
}
