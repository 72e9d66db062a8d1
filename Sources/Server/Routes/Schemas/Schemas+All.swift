import Core
import HTTPServer
import History
import Model
import Notifications
import Operations
import Registrations
import Routing

extension Schemas {
    static let all: [Named] =
        general + geofences + devices + ownTracksKeys + positions + events + replays + visits + explanations + registrations
        + sinks + rules + supportReports + access + storeChecks + enrollments + phones + inputs + newSinks

    private static let general: [Named] = [
        ("Anything", ["description": "Any JSON"]),
        ("Text", ["type": "string"]),
        ("Bytes", ["type": "string", "format": "binary"]),
        named(Problem.output), named(Problem.RecoveryAction.output), named(ProblemDocument.output), named(ShownProblem.output),
        ("ProblemPage", page("problems", of: "StandingProblem")),
        named(Fix.shape),
    ]
}
