import Foundation
import TestSupport
import Testing

@testable import HTTPClient

@Suite("HTTP client", .timeLimit(.minutes(60)))
struct HTTPClientTests {
    private func client(_ change: (inout HTTPClient.Options) -> Void = { _ in }) throws -> HTTPClient {
        var options = HTTPClient.Options.patient
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
                    + LoopbackServer.answer("404 Not Found", headers: "X-Two: 1\r\nx-two:  2 \r\n", body: "nothing")
                : LoopbackServer.answer("200 OK", headers: "Retry-After: 7\r\n")
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
            LoopbackServer.answer("200 OK", headers: "", body: "\(number)") + (number == 4 ? [.close] : [])
        }
        let client = try client()
        for number in 0..<10 {
            #expect(try client.send(HTTPRequest("POST", server.url, body: [65])).text == "\(number)")
        }
        #expect(server.connections == 2)
    }

    @Test("A redirect is not followed")
    func redirection() throws {
        let server = try LoopbackServer { _, _ in LoopbackServer.answer("302 Found", headers: "Location: /elsewhere\r\n") }
        #expect(try client().send(HTTPRequest("GET", server.url)).status == 302)
        #expect(server.requests.count == 1)
    }

    // MARK: - Failures

    /// The error that a client throws for a request; nil for success.
    private func error(_ client: HTTPClient, _ request: HTTPRequest) -> HTTPClientError? {
        do {
            _ = try client.send(request)
            return nil
        } catch {
            return error
        }
    }

    /// The name of the case of the error that a client throws for a request; empty for success.
    private func failure(_ client: HTTPClient, _ request: HTTPRequest) -> String {
        error(client, request).map { String("\($0)".prefix { $0 != "(" }) } ?? ""
    }

    @Test("A missing peer gives a problem without the query of the URL")
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

    @Test("A connection that breaks before the end of the response gives cannotConnect")
    func broken() throws {
        let server = try LoopbackServer { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), .close] }
        #expect(failure(try client(), HTTPRequest("GET", server.url)) == "cannotConnect")
        let mute = try LoopbackServer { _, _ in [.close] }
        #expect(failure(try client(), HTTPRequest("GET", mute.url)) == "cannotConnect")
    }

    @Test("A response that does not come in time gives a timeout")
    func late() throws {
        let server = try LoopbackServer { request, _ in
            request.hasPrefix("GET /first ") ? LoopbackServer.answer("200 OK") : [.wait]
        }
        // The request must use an existing connection, because a timeout while connecting is another failure. On a busy machine, connecting
        // needs a longer limit.
        var limit = 0.1
        var client = try self.client { $0.timeout = limit }
        while error(client, HTTPRequest("GET", server.url + "/first")) != nil {
            limit *= 2
            client = try self.client { $0.timeout = limit }
        }
        #expect(failure(client, HTTPRequest("GET", server.url)) == "timedOut")
    }

    @Test("A failed TLS handshake gives tlsFailed")
    func unsafe() throws {
        // The server supports neither TLS nor HTTP.
        let server = try LoopbackServer { request, _ in
            request == "TLS" ? LoopbackServer.answer("400 Bad Request") : [.close]
        }
        let url = server.url.replacing("http:", with: "https:")
        #expect(failure(try client(), HTTPRequest("GET", url + "/a")) == "tlsFailed")
        let missing = try client { $0.authorities = "/nonexistent/ca.pem" }
        #expect(failure(missing, HTTPRequest("GET", url)) == "tlsFailed")
        // Without any trusted certificates, the second request does not begin. No request was sent.
        #expect(server.requests.count == 2 && !server.requests.contains { $0.contains("/a ") })
    }

    @Test("A response above the size limit is refused")
    func large() throws {
        let server = try LoopbackServer { _, _ in
            LoopbackServer.answer("200 OK", headers: "", body: String(repeating: "a", count: 5000))
        }
        #expect(failure(try client { $0.maximumBody = 4999 }, HTTPRequest("GET", server.url)) == "answerTooLarge")
        #expect(try client { $0.maximumBody = 5000 }.send(HTTPRequest("GET", server.url)).body.count == 5000)
    }

    @Test("A head above the size limit is refused, and so are endless interim responses", arguments: [false, true])
    func largeHead(isInterim: Bool) throws {
        let piece = isInterim ? "HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n" : "X-A: \(String(repeating: "b", count: 1000))\r\n"
        let head = String(repeating: piece, count: ResponseHead.maximumSize / piece.utf8.count + 1)
        let server = try LoopbackServer { _, _ in [.send(isInterim ? head : "HTTP/1.1 200 OK\r\n" + head), .wait] }
        let client = try client()
        #expect(
            error(client, HTTPRequest("GET", server.url))
                == .answerTooLarge(peer: server.url, limit: ResponseHead.maximumSize))
    }

    @Test(
        "A peer that does not speak HTTP is named as such, and its address is not called invalid",
        arguments: [
            "hello\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{03}\u{03}\u{00}\u{02}\u{02}F", "HTTP/3.0 200 OK\r\n\r\n",
            "HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 20 x\r\nContent-Length: 0\r\n\r\n",
        ])
    func otherProtocol(_ answer: String) throws {
        let server = try LoopbackServer { _, _ in [.send(answer), .close] }
        #expect(failure(try client { $0.detectsScheme = false }, HTTPRequest("GET", server.url)) == "notHTTP")
    }

    @Test(
        "An invalid URL is refused",
        arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "http://a b/", "http://[::1/", "not a url"])
    func address(_ url: String) throws {
        #expect(["unescapedURL", "unusableURL"].contains(failure(try client(), HTTPRequest("GET", url))))
    }

    @Test("A header cannot contain another header")
    func headers() throws {
        let request = HTTPRequest("GET", "http://127.0.0.1:1", headers: [.init("X-A", "1\r\nX-B: 2")])
        #expect(error(try client(), request) == .malformedHeader(name: "X-A"))
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

    @Test(
        "Retry-After is parsed from a number, or from a date in each of its three forms",
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

    @Test("Without the response's own date, a date in Retry-After gives no wait")
    func retryAfterWithoutDate() {
        let header = HTTPHeader("Retry-After", "Sun, 06 Nov 1994 08:50:07 GMT")
        #expect(HTTPResponse(status: 503, headers: [header]).retryAfter == nil)
    }
}
