import Foundation
import TestSupport
import Testing

@testable import HTTPClient

@Suite("The HTTP client", .timeLimit(.minutes(10)))
struct HTTPClientTests {
    private func client(_ change: (inout HTTPClient.Options) -> Void = { _ in }) throws -> HTTPClient {
        var options = HTTPClient.Options()
        options.usesProxies = false
        change(&options)
        return try HTTPClient(options)
    }

    @Test("Sends method, path, headers and body as they are, and nothing of its own that surprises")
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

    @Test("Sends an empty body where a method asks for one", arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"])
    func emptyBody(_ method: String) throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("204 No Content") }
        #expect(try client().send(HTTPRequest(method, server.url)).status == 204)
        let seen = try #require(server.requests.first)
        #expect(seen.hasPrefix("\(method) / HTTP/1.1"))
        #expect(seen.contains("Content-Length: 0") == ["POST", "PUT", "PATCH"].contains(method))
        #expect(!seen.contains("Content-Type"))
    }

    @Test("Gives status, headers and body, of every status and after a 100 Continue")
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

    @Test("Keeps its connection, and makes another when it was closed")
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

    @Test("Does not go where it is sent on to")
    func redirection() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("302 Found", "Location: /elsewhere\r\n") }
        #expect(try client().send(HTTPRequest("GET", server.url)).status == 302)
        #expect(server.requests.count == 1)
    }

    // MARK: - Failures

    /// What a client throws for a request.
    private func error(_ client: HTTPClient, _ request: HTTPRequest) -> HTTPClientError? {
        do {
            _ = try client.send(request)
            return nil
        } catch {
            return error
        }
    }

    /// The case of what a client throws for a request, without its values.
    private func failure(_ client: HTTPClient, _ request: HTTPRequest) -> String {
        error(client, request).map { String("\($0)".prefix { $0 != "(" }) } ?? ""
    }

    @Test("Says that nobody is there")
    func nobody() throws {
        let url: String
        do {
            let server = try LoopbackServer { _, _ in [] }
            url = server.url
        }
        let error = try #require(error(try client(), HTTPRequest("GET", url + "/path?secret=1")))
        guard case .cannotConnect(url, _) = error else { throw error }
        #expect(!"\(error)".contains("secret"))
    }

    @Test("Says that a connection broke before the answer was whole")
    func broken() throws {
        let server = try LoopbackServer { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), .close] }
        #expect(failure(try client(), HTTPRequest("GET", server.url)) == "cannotConnect")
        let mute = try LoopbackServer { _, _ in [.close] }
        #expect(failure(try client(), HTTPRequest("GET", mute.url)) == "cannotConnect")
    }

    @Test("Says that no answer came in time")
    func late() throws {
        let server = try LoopbackServer { _, _ in [.wait] }
        #expect(failure(try client { $0.timeout = 0.1 }, HTTPRequest("GET", server.url)) == "timedOut")
    }

    @Test("Says that a connection is not safe")
    func unsafe() throws {
        // Neither TLS nor HTTP is spoken there.
        let server = try LoopbackServer { request, _ in
            request == "TLS" ? LoopbackServer.answer("400 Bad Request") : [.close]
        }
        let url = server.url.replacing("http:", with: "https:")
        #expect(failure(try client { $0.timeout = 5 }, HTTPRequest("GET", url + "/a")) == "tlsFailed")
        let missing = try client { $0.authorities = "/nonexistent/ca.pem" }
        #expect(failure(missing, HTTPRequest("GET", url)) == "tlsFailed")
        // The second has nothing to trust by, and does not begin. What was asked never went out.
        #expect(server.requests.count == 2 && !server.requests.contains { $0.contains("/a ") })
    }

    @Test("Takes no answer that is larger than it may be")
    func large() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("200 OK", "", String(repeating: "a", count: 5000)) }
        #expect(failure(try client { $0.maximumBody = 4999 }, HTTPRequest("GET", server.url)) == "answerTooLarge")
        #expect(try client { $0.maximumBody = 5000 }.send(HTTPRequest("GET", server.url)).body.count == 5000)
    }

    @Test(
        "Refuses what cannot be asked",
        arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "http://a b/", "http://[::1/", "not a url"])
    func address(_ url: String) throws {
        #expect(["unescapedURL", "unusableURL"].contains(failure(try client(), HTTPRequest("GET", url))))
    }

    @Test("Lets no header bring another along")
    func headers() throws {
        let request = HTTPRequest("GET", "http://127.0.0.1:1", headers: [.init("X-A", "1\r\nX-B: 2")])
        #expect(error(try client(), request) == .malformedHeader(name: "X-A"))
    }

    @Test(
        "Names a peer without its path and without a password",
        arguments: [
            ("http://127.0.0.1:7575/v1?token=x", "http://127.0.0.1:7575"), ("https://me:secret@[::1]:1/a@b", "https://[::1]:1"),
            ("https://example.org", "https://example.org"), ("http://h?x=/", "http://h"),
        ])
    func peer(_ url: String, _ peer: String) {
        #expect(HTTPRequest("GET", url).peer == peer)
    }

    // MARK: - Streams

    @Test("Hands over a stream as it comes, until it is told to stop")
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

    @Test("Gathers the words of an answer that is no stream")
    func noStream() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("401 Unauthorized", "", "no token") }
        let response = try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30) { _ in
            Issue.record("that is no part of a stream")
            return true
        }
        #expect(response.status == 401 && response.text == "no token")
    }

    @Test("Is stopped from another thread while nothing comes")
    func stopped() throws {
        let stop = StopSignal()
        let server = try LoopbackServer { _, _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nfirst"), .wait]
        }
        let response = try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30, stop: stop) { _ in
            // Only once something has come: one that is stopped before its first byte has no status.
            DispatchQueue.global().async { stop.stop() }
            return true
        }
        #expect(response.isSuccess)
        // Whoever was stopped before does not even ask.
        #expect(try client().stream(HTTPRequest("GET", server.url), idleTimeout: 30, stop: stop) { _ in true }.status == 0)
        #expect(server.requests.count == 1)
    }

    @Test("Notices a peer that has gone silent")
    func silent() throws {
        let server = try LoopbackServer { _, _ in [.send("HTTP/1.1 200 OK\r\n\r\nfirst"), .wait] }
        let client = try client()
        do {
            _ = try client.stream(HTTPRequest("GET", server.url), idleTimeout: 1) { _ in true }
            Issue.record("nobody noticed")
        } catch {
            guard case .timedOut = error else { throw error }
        }
    }

    @Test(
        "Reads how long to wait from a number, or from a date in each of its three forms",
        arguments: [
            ("7", 7), ("0", 0), ("1.5", 1.5), ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sunday, 06-Nov-94 08:50:07 GMT", 30),
            ("Sun Nov  6 08:50:07 1994", 30), ("Sat, 05 Nov 1994 08:49:37 GMT", 0), ("-5", nil), ("inf", nil), ("soon", nil),
            ("", nil),
            ("Sun, 06 Now 1994 08:50:07 GMT", nil), ("Sun, 36 Nov 1994 08:50:07 GMT", nil),
            ("Sun, 06 Nov 1994 08:50:07 CET", nil), ("Tue, 29 Feb 2000 00:00:00 GMT", 167_670_623),
            ("Mon, 29 Feb 2100 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
        ] as [(String, Double?)])
    func retryAfter(_ value: String, _ seconds: Double?) {
        let date = HTTPHeader("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPResponse(status: 503, headers: [date, HTTPHeader("Retry-After", value)]).retryAfter == seconds)
    }

    @Test("Knows no wait until a date when the answer does not say what time it is there")
    func retryAfterWithoutDate() {
        let header = HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")
        #expect(HTTPResponse(status: 503, headers: [header]).retryAfter == nil)
    }
}
