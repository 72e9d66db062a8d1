import TestSupport
import Testing

@testable import Model

@Suite("Errors of other software")
struct ForeignErrorTests {
    @Test(
        "The first matching rule for the text decides the problem",
        arguments: [
            ("HTTP 401", "unauthorized"), ("Unauthorized", "unauthorized"), ("Your SESSION EXPIRED", "unauthorized"),
            ("{\"code\":401}", "unauthorized"), ("401:no token", "unauthorized"), ("forbidden, or unauthorized", "unauthorized"),
            ("status=403", "forbidden"), ("Forbidden by the server", "forbidden"),
            ("The network is down", "noConnection"), ("Connection refused", "noConnection"),
            ("device is offline", "noConnection"),
            ("connection timeout", "noConnection"), ("network error 502", "noConnection"),
            ("Timeout was reached", "timeout"), ("the operation timed out", "timeout"), ("timeout of the server", "timeout"),
            ("500", "serverError"), ("(503) try later", "serverError"), ("599.", "serverError"),
            ("Internal Server Error", "serverError"),
            ("", "unknown"), ("600", "unknown"), ("404", "unknown"), ("something else", "unknown"),
            // These numbers are part of something else.
            ("at :4010", "unknown"), ("14010 things", "unknown"), ("a401b", "unknown"), ("it took 0.501 s", "unknown"),
            ("by 10.0.0.1:500", "unknown"), ("in 2026-403", "unknown"), ("1,500 fixes", "unknown"), ("401ü", "unknown"),
        ])
    func text(_ text: String, _ code: String) {
        let problem = Problem(foreign: text, peer: "http://example.org")
        #expect(problem.code == code)
        #expect(problem.details(in: .english) == (text.isEmpty ? nil : text))
    }

    @Test(
        "A status decides before the text",
        arguments: [
            (401, "forbidden", "unauthorized"), (403, "unauthorized", "forbidden"), (408, "", "timeout"),
            (429, "server busy", "rateLimited"), (500, "timeout", "serverError"), (599, "", "serverError"),
            (404, "nothing here", "unknown"), (404, "the server has no such page", "serverError"), (200, "", "unknown"),
        ])
    func status(_ status: Int, _ text: String, _ code: String) {
        #expect(Problem(foreign: text, status: status, peer: "http://example.org").code == code)
    }

    @Test("The problem keeps the status, the peer and the time to wait")
    func values() {
        #expect(Problem(foreign: "", status: 503, peer: "p") == .serverError(status: 503, details: ""))
        #expect(Problem(foreign: "HTTP 502", peer: "p") == .serverError(status: 502, details: "HTTP 502"))
        #expect(Problem(foreign: "", status: 429, peer: "p", retryAfter: 7) == .rateLimited(retryAfter: 7))
        #expect(Problem(foreign: "timeout", peer: "p") == .timeout(peer: "p", details: "timeout"))
    }
}
