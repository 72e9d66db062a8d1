import HTTPClient
import Model
import Senders
import TestSupport
import Testing

@Suite("Problems of HTTP requests")
struct HTTPClientProblemTests {
    @Test(
        "Each failure of the client is a problem that names the peer",
        arguments: [
            (.cannotConnect(peer: "http://p", details: "d"), .noConnection(peer: "http://p", details: "d")),
            (.timedOut(peer: "http://p", details: "d"), .timeout(peer: "http://p", details: "d")),
            (.tlsFailed(peer: "https://p", details: "d"), .tlsFailed(peer: "https://p", details: "d")),
            (.schemeMismatch(peer: "https://p", other: "http://p"), .schemeMismatch(peer: "https://p", other: "http://p")),
            (
                .notHTTP(peer: "http://p", details: "d"),
                .noConnection(peer: "http://p", details: .saying(.notHTTP, "d"))
            ),
            (.answerTooLarge(peer: "http://p", limit: 5), .tooLarge(what: .answer("http://p"), limit: .bytes(5))),
            (.other(details: "d"), .unknown(details: "d")),
        ] as [(HTTPClientError, Problem)])
    func failures(_ error: HTTPClientError, _ problem: Problem) {
        #expect(Problem(error) == problem)
    }

    @Test(
        "A request that cannot be sent is a problem of its part that is wrong",
        arguments: [
            (.malformedHeader(name: "X-A"), "header", "X-A"), (.unescapedURL("http://a b"), "url", "http://a b"),
            (.unusableURL(peer: "ftp://p", details: "d"), "url", "ftp://p"),
        ] as [(HTTPClientError, String, String)])
    func requests(_ error: HTTPClientError, _ field: String, _ value: String) throws {
        guard case .validationFailed(field, value, _, _) = Problem(error) else { throw Problem(error) }
    }

    @Test(
        "The status of an answer becomes the right problem",
        arguments: [
            (200, nil), (204, nil), (401, "unauthorized"), (403, "forbidden"), (429, "rateLimited"), (500, "serverError"),
            (503, "serverError"), (418, "unknown"),
        ] as [(Int, String?)])
    func statuses(_ status: Int, _ code: String?) {
        let response = HTTPResponse(status: status, headers: [.init("retry-after", "3")])
        #expect(response.problem(from: "http://here")?.code == code)
        if status == 429 { #expect(response.problem(from: "p") == .rateLimited(retryAfter: 3)) }
    }

    @Test("The body of a refusal is its details")
    func body() {
        let response = HTTPResponse(status: 401, body: Array("no token".utf8))
        #expect(response.problem(from: "p") == .unauthorized(details: "no token"))
    }
}
