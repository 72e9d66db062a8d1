import Model
import Store

/// An open problem as answers show it at a moment.
package struct ShownProblem: Sendable {
    private let problem: PicketStore.OpenProblem
    private let now: Instant

    package init(_ problem: PicketStore.OpenProblem, at now: Instant) {
        self.problem = problem
        self.now = now
    }

    private var source: ProblemSource { ProblemSource(problem.source) }

    /// The problem's words. Those of a problem that a newer version of Picket recorded are the recorded ones.
    private func words(in locale: AnswerLocale) -> JSONValue {
        if let known = problem.problem { return known.json(in: locale) }
        return problem.words[locale.language.rawValue] ?? problem.words[Language.english.rawValue] ?? .null
    }
}

extension ShownProblem: JSONWritable {
    package static let output = JSONOutput<ShownProblem>(
        "StandingProblem", summary: "A problem that is open until it is resolved or dismissed",
        .init("id", kind: .text, summary: "The problem's id") { shown, _ in String(shown.problem.id) },
        .init("source", kind: .text, summary: "What failed, such as registry/anna-phone", content: \.problem.source),
        .init(
            "family", kind: .text, summary: "The beginning of the source, such as registry, sink or job", content: \.source.family
        ),
        .init("deviceId", optional: .text, summary: "The device that the problem concerns", content: \.source.deviceID),
        .init("sinkId", optional: .text, summary: "The sink that the problem concerns", content: \.source.sinkID),
        .init(
            "sinkPart", optional: .word,
            summary: "The part of the sink that fails: the events that it refused, or what it announces to Home Assistant",
            content: \.source.sinkPart),
        .init("problem", kind: .object(named: Problem.output.name)) { $0.words(in: $1) },
        .init("firstAt", kind: .time, summary: "When the source first failed", content: \.problem.firstAt),
        .init("lastAt", kind: .time, summary: "When it last failed", content: \.problem.lastAt),
        .init(
            "consecutiveFailures", kind: .whole, summary: "The number of failures without a success in between",
            content: \.problem.failures),
        .init("isEscalated", kind: .flag, summary: "Whether there are three or more failures", content: \.problem.isEscalated),
        .init("isDismissed", kind: .flag, summary: "Whether a person has hidden the problem") { shown, _ in
            shown.problem.isDismissed(at: shown.now)
        })
}
