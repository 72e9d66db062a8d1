import TestSupport
import Testing

@testable import Model

@Suite("Problems of the network and of deliveries")
struct NetworkProblemTests {
    static let table: [(Problem, String, Problem.RecoveryAction)] = [
        (.noConnection(peer: "http://here:1", details: "refused"), "noConnection", .retry),
        (.timeout(peer: "http://here:1", details: "5 s"), "timeout", .retry),
        (.tlsFailed(peer: "https://here:1", details: "expired"), "tlsFailed", .openSettings),
        (.schemeMismatch(peer: "http://here:1", other: "https://here:1"), "schemeMismatch", .editInput),
        (.schemeMismatch(peer: "https://here:1", other: "http://here:1"), "schemeMismatch", .editInput),
        (.insecureTransport(address: "http://0.0.0.0:1"), "insecureTransport", .editInput),
        (.unreachableByPhones(address: "http://127.0.0.1:1"), "unreachableByPhones", .editInput),
        (.serverError(status: 503, details: ""), "serverError", .retry),
        (.serverError(status: nil, details: ""), "serverError", .retry),
        (.unauthorized(details: ""), "unauthorized", .signIn),
        (.forbidden(details: ""), "forbidden", .signIn),
        (.sessionExpired(name: "van"), "sessionExpired", .signIn),
        (.rateLimited(retryAfter: 1.5), "rateLimited", .retry),
        (.rateLimited(retryAfter: nil), "rateLimited", .retry),
        (.accessRefused(peer: "mqtt://here:1", details: "5"), "accessRefused", .signIn),
        (.intakeInterrupted(peer: "mqtt://here:1", details: "refused"), "intakeInterrupted", .retry),
        (.sinkUnreachable(sink: "ntfy", details: "refused"), "sinkUnreachable", .retry),
        (.sinkUnauthorized(sink: "ntfy", status: 401, details: ""), "sinkUnauthorized", .signIn),
        (.sinkRejected(sink: "ntfy", status: 404, details: "no topic"), "sinkRejected", .editInput),
        (.eventRejected(sink: "ntfy", status: 422, details: ""), "eventRejected", .editInput),
        (.deliveryDegraded(sink: "ntfy", attempts: 6, details: "refused"), "deliveryDegraded", .retry),
    ]

    @Test("Each problem has a code and one action", arguments: table)
    func codes(_ problem: Problem, _ code: String, _ action: Problem.RecoveryAction) {
        #expect(problem.code == code)
        #expect(problem.recoveryAction == action)
        #expect(problem.requiresReauthentication == (action == .signIn))
        #expect(problem.isRetryable == (action == .retry))
    }

    @Test("Each problem has its own texts in every language", arguments: table)
    func words(_ problem: Problem, _: String, _: Problem.RecoveryAction) {
        let (english, turkish) = (problem.json(in: .english), problem.json(in: .turkish))
        for name in ["title", "message"] {
            #expect(english[name]?.string?.isEmpty == false)
            #expect(english[name] != turkish[name])
        }
    }

    @Test("The texts name the peer, the status and the time to wait", arguments: Language.allCases)
    func values(_ language: Language) {
        func message(_ problem: Problem) -> String { problem.message.text(in: language) }
        #expect(message(.noConnection(peer: "http://here:1", details: "")).contains("http://here:1"))
        #expect(message(.accessRefused(peer: "mqtt://here:1", details: "")).contains("mqtt://here:1"))
        #expect(message(.intakeInterrupted(peer: "mqtt://here:1", details: "")).contains("mqtt://here:1"))
        #expect(message(.serverError(status: 503, details: "")).contains("503"))
        for (peer, other) in [("http://here:1", "https://here:1"), ("https://here:1", "http://here:1")] {
            let text = message(.schemeMismatch(peer: peer, other: other))
            #expect(text.contains("\(peer) ") && text.contains(" \(other)"))
        }
        #expect(message(.insecureTransport(address: "http://0.0.0.0:1")).contains("http://0.0.0.0:1"))
        #expect(message(.sessionExpired(name: "van")).contains("'van'"))
        #expect(message(.rateLimited(retryAfter: 1.5)).contains("2 s"))
        #expect(message(.sinkUnreachable(sink: "ntfy", details: "")).contains("'ntfy'"))
        for problem in [
            Problem.sinkUnauthorized(sink: "ntfy", status: 403, details: ""),
            .sinkRejected(sink: "ntfy", status: 403, details: ""),
            .eventRejected(sink: "ntfy", status: 403, details: ""), .deliveryDegraded(sink: "ntfy", attempts: 403, details: ""),
        ] {
            #expect(message(problem).contains("'ntfy'") && message(problem).contains("403"))
        }
        // Only a sink that did not answer is called unreachable.
        let silent = Problem.sinkUnreachable(sink: "ntfy", details: "")
        for status in [429, 500] {
            let failing = Problem.sinkUnreachable(sink: "ntfy", status: status, details: "")
            #expect(message(failing).contains("\(status)") && failing.title != silent.title)
            let degraded = Problem.deliveryDegraded(sink: "ntfy", attempts: 6, status: status, details: "")
            #expect(message(degraded).contains("\(status)") && message(degraded).contains("6"))
            #expect(message(degraded) != message(.deliveryDegraded(sink: "ntfy", attempts: 6, details: "")))
        }
    }
}
