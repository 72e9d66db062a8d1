import TestSupport
import Testing

@testable import Model

@Suite struct LocationProblemTests {
    static let table: [(Problem, String, Problem.RecoveryAction)] = [
        (.locationServicesDisabled, "locationServicesDisabled", .openSettings),
        (.authorizationRequired(status: "whenInUse"), "authorizationRequired", .grantAlways),
        (.regionMonitoringDenied(details: "4"), "regionMonitoringDenied", .openSettings),
        (.regionMonitoringFailed(details: "5"), "regionMonitoringFailed", .fixRegistration),
        (.regionLimitReached(limit: 20), "regionLimitReached", .fixRegistration),
        (.registryUnavailable(details: "no answer"), "registryUnavailable", .retry),
        (.registryStale(reportedAt: Instant(milliseconds: 1_777_000_000_000)), "registryStale", .retry),
        (.registrationIncomplete(missing: 2, orphaned: 1), "registrationIncomplete", .fixRegistration),
    ]

    @Test(arguments: table)
    func eachProblemHasACodeAndARecoveryAction(_ problem: Problem, _ code: String, _ action: Problem.RecoveryAction) {
        #expect(problem.code == code)
        #expect(problem.recoveryAction == action)
    }

    @Test(arguments: Language.allCases)
    func everyLanguageHasTextsForEachProblem(_ language: Language) {
        for (problem, _, _) in Self.table {
            let json = problem.json(in: language)
            for name in ["title", "message", "icon"] { #expect(json[name]?.string?.isEmpty == false) }
            #expect(json["recoveryAction"]?["label"]?.string?.isEmpty == false)
        }
    }

    @Test func turkishTextsDifferFromEnglishTexts() {
        let problem = Problem.authorizationRequired(status: "denied")
        #expect(problem.json(in: .turkish)["message"]?.string?.contains("'denied'") == true)
        #expect(problem.json(in: .turkish)["title"] != problem.json(in: .english)["title"])
        for action in Problem.RecoveryAction.allCases {
            #expect(action.label.text(in: .turkish) != action.label.text(in: .english))
        }
    }

    @Test func messagesContainTheNumbers() {
        let problem = Problem.registrationIncomplete(missing: 3, orphaned: 7)
        for language in Language.allCases {
            let message = problem.message.text(in: language)
            #expect(message.contains("3") && message.contains("7"))
        }
    }
}
