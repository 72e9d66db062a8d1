import Foundation
import Model
import TestSupport
import Testing

@testable import HTTPClient

@Suite("HTTP client", .timeLimit(.minutes(10)))
struct HTTPClientTests {
    private func client(_ change: (inout HTTPClient.Options) -> Void = { _ in }) throws -> HTTPClient {
        var options = HTTPClient.Options()
        options.usesProxies = false
        change(&options)
        return try HTTPClient(options)
    }

    @Test("Method, path, headers and body are sent unchanged, without unexpected additions")
    func request() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("200 OK") }
        let body = "{\"place\":\"Straße\"}" + String(repeating: "x", count: 2_000_000)
        let headers = [HTTPHeader("Content-Type", "application/json"), HTTPHeader("X-Empty", "")]
        _ = try client().send(HTTPRequest("PUT", server.url + "/a?b=c", headers: headers, body: Array(body.utf8)))
        let seen = try #require(server.requests.first)
        #expect(seen.hasPrefix("PUT /a?b=c HTTP/1.1\r\n"))
        #expect(seen.contains("\r\nContent-Type: application/json\r\n") && seen.contains("\r\nX-Empty:\r\n"))
        #expect(!seen.contains("Expect"))
        #expect(seen.hasSuffix("\r\n\r\n" + body))
    }

    @Test("An empty body is sent with methods that expect one", arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"])
    func emptyBody(_ method: String) throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("204 No Content") }
        #expect(try client().send(HTTPRequest(method, server.url)).status == 204)
        let seen = try #require(server.requests.first)
        #expect(seen.hasPrefix("\(method) / HTTP/1.1"))
        #expect(seen.contains("Content-Length: 0") == ["POST", "PUT", "PATCH"].contains(method))
        #expect(!seen.contains("Content-Type"))
    }

    @Test("A response has its status, headers and body, for every status and after a 100 Continue")
    func response() throws {
        let server = try LoopbackServer { _, number in
            number == 0
                ? [.send("HTTP/1.1 100 Continue\r\nX-Early: yes\r\n\r\n")]
                    + LoopbackServer.answer("404 Not Found", "X-Two: 1\r\nx-two:  2 \r\n", "nothing")
                : LoopbackServer.answer("200 OK", "Retry-After: 7\r\n")
        }
        let client = try client()
        let first = try client.send(HTTPRequest("GET", server.url))
        #expect(first.status == 404 && !first.isSuccess)
        #expect(first.text == "nothing")
        #expect(first.headers == [.init("X-Two", "1"), .init("x-two", "2"), .init("Content-Length", "7")])
        #expect(first.header("X-TWO") == "1" && first.header("X-Early") == nil)
        let second = try client.send(HTTPRequest("GET", server.url))
        #expect(second.status == 200 && second.body.isEmpty && second.retryAfter == 7)
    }

    @Test("A connection is reused, and replaced after it was closed")
    func keptAlive() throws {
        let server = try LoopbackServer { _, number in
            LoopbackServer.answer("200 OK", "", "\(number)") + (number == 4 ? [.close] : [])
        }
        let client = try client()
        for number in 0..<10 {
            #expect(try client.send(HTTPRequest("POST", server.url, body: [65])).text == "\(number)")
        }
        #expect(server.connections == 2)
    }

    @Test("A redirect is not followed")
    func redirection() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("302 Found", "Location: /elsewhere\r\n") }
        #expect(try client().send(HTTPRequest("GET", server.url)).status == 302)
        #expect(server.requests.count == 1)
    }

    @Test(
        "The status of a response gives the matching problem",
        arguments: [
            (200, nil), (204, nil), (401, "unauthorized"), (403, "forbidden"), (429, "rateLimited"), (500, "serverError"),
            (503, "serverError"), (418, "unknown"),
        ] as [(Int, String?)])
    func problem(_ status: Int, _ code: String?) {
        let response = HTTPResponse(status: status, headers: [.init("retry-after", "3")])
        #expect(response.problem(from: "http://here")?.code == code)
        if status == 429 { #expect(response.problem(from: "p") == .rateLimited(retryAfter: 3)) }
    }

    // MARK: - Failures

    /// The problem that a client throws for a request; nil for success.
    private func problem(_ client: HTTPClient, _ request: HTTPRequest) -> Problem? {
        do throws(Problem) {
            _ = try client.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("A missing peer gives a problem without the query of the URL")
    func nobody() throws {
        let url: String
        do {
            let server = try LoopbackServer { _, _ in [] }
            url = server.url
        }
        let problem = try #require(problem(try client(), HTTPRequest("GET", url + "/path?secret=1")))
        #expect(problem.code == "noConnection")
        #expect(Language.english.words.message(problem).contains(url) && !"\(problem)".contains("secret"))
    }

    @Test("A connection that breaks before the end of the response gives noConnection")
    func broken() throws {
        let server = try LoopbackServer { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), .close] }
        #expect(problem(try client(), HTTPRequest("GET", server.url))?.code == "noConnection")
        let mute = try LoopbackServer { _, _ in [.close] }
        #expect(problem(try client(), HTTPRequest("GET", mute.url))?.code == "noConnection")
    }

    @Test("A response that does not come in time gives a timeout")
    func late() throws {
        let server = try LoopbackServer { _, _ in [.wait] }
        #expect(problem(try client { $0.timeout = 0.1 }, HTTPRequest("GET", server.url))?.code == "timeout")
    }

    @Test("A failed TLS handshake gives tlsFailed")
    func unsafe() throws {
        // The server supports neither TLS nor HTTP.
        let server = try LoopbackServer { request, _ in
            request == "TLS" ? LoopbackServer.answer("400 Bad Request") : [.close]
        }
        let url = server.url.replacing("http:", with: "https:")
        #expect(problem(try client { $0.timeout = 5 }, HTTPRequest("GET", url + "/a"))?.code == "tlsFailed")
        let missing = try client { $0.authorities = "/nonexistent/ca.pem" }
        #expect(problem(missing, HTTPRequest("GET", url))?.code == "tlsFailed")
        // Without any trusted certificates, the second request does not begin. No request was sent.
        #expect(server.requests.count == 2 && !server.requests.contains { $0.contains("/a ") })
    }

    @Test("A response above the size limit is refused")
    func large() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("200 OK", "", String(repeating: "a", count: 5000)) }
        #expect(problem(try client { $0.maximumBody = 4999 }, HTTPRequest("GET", server.url))?.code == "tooLarge")
        #expect(try client { $0.maximumBody = 5000 }.send(HTTPRequest("GET", server.url)).body.count == 5000)
    }

    @Test(
        "An invalid URL is refused",
        arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "http://a b/", "http://[::1/", "not a url"])
    func address(_ url: String) throws {
        #expect(problem(try client(), HTTPRequest("GET", url))?.code == "validationFailed")
    }

    @Test("A header cannot contain another header")
    func headers() throws {
        let request = HTTPRequest("GET", "http://127.0.0.1:1", headers: [.init("X-A", "1\r\nX-B: 2")])
        #expect(problem(try client(), request)?.code == "validationFailed")
    }

    @Test(
        "A peer is named without path and password",
        arguments: [
            ("http://127.0.0.1:7575/v1?token=x", "http://127.0.0.1:7575"), ("https://me:secret@[::1]:1/a@b", "https://[::1]:1"),
            ("https://example.org", "https://example.org"), ("http://h?x=/", "http://h"),
        ])
    func peer(_ url: String, _ peer: String) {
        #expect(HTTPRequest("GET", url).peer == peer)
    }

    // MARK: - Streams

    @Test("A stream is delivered piece by piece, until the receiver stops it")
    func stream() throws {
        let server = try LoopbackServer { _, _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1\ndata: a\n\n"),
                .send("id: 2\ndata: b\n\n"), .wait,
            ]
        }
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        let response = try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30) { bytes in
            parser.parse(bytes) { events.append($0) }
            return events.count < 2
        }
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(events == [.init(id: "1", data: "a"), .init(id: "2", data: "b")])
    }

    @Test("The text of an error response to a stream is collected")
    func noStream() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("401 Unauthorized", "", "no token") }
        let response = try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30) { _ in
            Issue.record("that is no part of a stream")
            return true
        }
        #expect(response.problem(from: "p") == .unauthorized(details: "no token"))
    }

    @Test("A waiting stream can be stopped from another thread")
    func stopped() throws {
        let stop = StopSignal()
        let server = try LoopbackServer { _, _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nfirst"), .wait]
        }
        let response = try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30, stop: stop) { _ in
            // The stop comes after the first byte, because a request that is stopped earlier has no status.
            DispatchQueue.global().async { stop.stop() }
            return true
        }
        #expect(response.isSuccess)
        // A request that was stopped before it began is not sent.
        #expect(try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30, stop: stop) { _ in true }.status == 0)
        #expect(server.requests.count == 1)
    }

    @Test("A silent peer gives a timeout")
    func silent() throws {
        let server = try LoopbackServer { _, _ in [.send("HTTP/1.1 200 OK\r\n\r\nfirst"), .wait] }
        let client = try client()
        do throws(Problem) {
            _ = try client.stream(HTTPRequest("GET", server.url), idleTimeout: 1) { _ in true }
            Issue.record("nobody noticed")
        } catch {
            #expect(error.code == "timeout")
        }
    }

    @Test(
        "Retry-After is parsed from a number, or from a date in each of its three forms",
        arguments: [
            ("7", 7), ("0", 0), ("1.5", 1.5), ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sunday, 06-Nov-94 08:50:07 GMT", 30),
            ("Sun Nov  6 08:50:07 1994", 30), ("Sat, 05 Nov 1994 08:49:37 GMT", 0), ("-5", nil), ("inf", nil), ("soon", nil),
            ("", nil),
            ("Sun, 06 Now 1994 08:50:07 GMT", nil), ("Sun, 36 Nov 1994 08:50:07 GMT", nil),
            ("Sun, 06 Nov 1994 08:50:07 CET", nil),
        ] as [(String, Double?)])
    func retryAfter(_ value: String, _ seconds: Double?) {
        let date = HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPResponse(status: 503, headers: [date, HTTPHeader("Retry-After", value)]).retryAfter == seconds)
    }

    @Test("Without the response's own date, a date in Retry-After gives no wait")
    func retryAfterWithoutDate() {
        let header = HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")
        #expect(HTTPResponse(status: 503, headers: [header]).retryAfter == nil)
    }
}
