import Model
import TestSupport
import Testing

@testable import Delivery

@Suite("Delivery outcomes")
struct DeliveryOutcomeTests {
    enum Kind: String { case delivered, retry, pause, reject }

    private func kind(_ outcome: DeliveryOutcome) -> Kind {
        switch outcome {
        case .delivered: .delivered
        case .retry: .retry
        case .pause: .pause
        case .reject: .reject
        }
    }

    @Test(
        "An HTTP status decides between delivered, retry, pause and reject",
        arguments: [
            ([200, 201, 202, 204, 299], Kind.delivered, nil), ([401, 403, 407], .pause, "sinkUnauthorized"),
            ([404, 410, 301, 308, 402, 405, 406, 415, 451, 499], .pause, "sinkRejected"),
            ([400, 413, 414, 422, 431], .reject, "eventRejected"), ([429], .retry, "rateLimited"),
            ([302, 303, 307, 408, 409, 421, 423, 424, 425], .retry, "sinkUnreachable"),
            ([500, 502, 503, 504, 507, 511, 599, 0, 100, 600], .retry, "serverError"),
        ] as [([Int], Kind, String?)])
    func http(_ statuses: [Int], _ expected: Kind, _ code: String?) {
        for status in statuses {
            let outcome = DeliveryOutcome(httpStatus: status, sink: "ntfy", details: "its words")
            #expect(kind(outcome) == expected, "\(status)")
            #expect(outcome.problem?.code == code, "\(status)")
        }
    }

    @Test("An outcome of retry keeps the Retry-After of the response", arguments: [302, 408, 429, 500, 503])
    func retryAfter(_ status: Int) {
        guard case .retry(_, let seconds) = DeliveryOutcome(httpStatus: status, retryAfter: 7, sink: "s") else {
            Issue.record("\(status) is not tried again")
            return
        }
        #expect(seconds == 7)
    }

    @Test(
        "A mail server's reply decides between delivered, retry, pause and reject",
        arguments: [
            (250, "", Kind.delivered), (421, "", .retry), (450, "", .retry), (451, "", .retry), (452, "", .retry),
            (454, "4.7.0 Temporary authentication failure", .retry), (354, "", .retry), (0, "", .retry), (530, "", .pause),
            (535, "5.7.8 Authentication credentials invalid", .pause), (550, "5.1.1 No such user", .pause), (502, "", .pause),
            (552, "5.3.4 Message too big", .reject), (552, "5.2.2 Mailbox full", .retry), (554, "5.6.0 Content refused", .reject),
        ] as [(Int, String, Kind)])
    func smtp(_ code: Int, _ text: String, _ expected: Kind) {
        let outcome = DeliveryOutcome(smtpReply: code, text: text, sink: "mail")
        #expect(kind(outcome) == expected)
        #expect(outcome.problem?.requiresReauthentication ?? false == [530, 535].contains(code))
    }

    @Test("Every SMTP reply and HTTP status has an outcome, and problems of pause and reject outcomes name the sink")
    func everyCode() {
        let all =
            (0...999).map { DeliveryOutcome(smtpReply: $0, text: "w", sink: "kitchen") }
            + (0...999).map { DeliveryOutcome(httpStatus: $0, sink: "kitchen", details: "w") }
        for outcome in all {
            switch outcome {
            case .delivered, .retry: break
            case .pause(let problem), .reject(let problem):
                #expect(problem.message.description.contains("'kitchen'"))
                #expect(problem.details(in: .english) == "w")
            }
        }
    }

    @Test(
        "A problem of the transport or of the service decides between retry, pause and reject",
        arguments: [
            (.noConnection(peer: "p", details: ""), Kind.retry), (.timeout(peer: "p", details: ""), .retry),
            (.tlsFailed(peer: "p", details: ""), .retry), (.serverError(status: 500, details: ""), .retry),
            (.storeBusy(path: "p", holder: "h"), .retry), (.cancelled, .retry), (.unknown(details: ""), .retry),
            (.unauthorized(details: ""), .pause), (.forbidden(details: ""), .pause), (.sessionExpired(name: ""), .pause),
            (.notFound(kind: .address, id: "x", similar: []), .pause),
            (.schemeMismatch(peer: "https://p", other: "http://p:443"), .pause),
            (.storeCorrupt(path: "p", details: ""), .pause), (.storeFull(path: "p"), .retry),
            (.validationFailed(field: "url", value: "x", reason: .noHost, expected: .escapedURL), .pause),
            (.encodingFailed(what: "w", reason: .noPositions), .reject), (.tooLarge(what: "w", limit: .bytes(1)), .reject),
            (.tooLarge(what: .answer("p"), limit: .bytes(1)), .retry),
        ] as [(Problem, Kind)])
    func problems(_ problem: Problem, _ expected: Kind) {
        #expect(kind(DeliveryOutcome(problem)) == expected)
        #expect(DeliveryOutcome(problem).problem == problem)
    }

    @Test("An outcome keeps the wait of its problem")
    func problemWithWait() {
        let problem = Problem.rateLimited(retryAfter: 9)
        #expect(DeliveryOutcome(problem) == .retry(problem, after: 9))
    }
}
