import Model

/// The answer to a request.
package struct Response: Sendable {
    package enum Body: Sendable {
        case text(String)
        case bytes([UInt8])
        /// Bytes that are made on the thread that sends them.
        case made(@Sendable () -> [UInt8])
        /// A problem, in the language that the request prefers.
        case problem(Problem)
        /// A stream of events.
        case stream(any ResponseSource)
        /// Content of any length, read from the store or from a file while it is sent.
        case download(Download)
    }

    package var status: UInt32
    package var contentType: String
    package var headers: [(name: String, value: String)] = []
    package var body: Body
    /// A body of a few kilobytes with the most important members. It is sent instead if there is no memory for the whole body and
    /// the request has changed something.
    package var shortBody: Body?

    package init(status: UInt32, contentType: String, body: Body) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    package static func json(_ value: JSONValue, status: UInt32 = 200) -> Response {
        Response(status: status, contentType: "application/json", body: .text(value.description))
    }

    /// A JSON answer, with a short one for when there is no memory for it.
    package static func json(_ value: JSONValue, status: UInt32 = 200, orShort short: @escaping @Sendable () -> JSONValue)
        -> Response
    {
        var response = json(value, status: status)
        response.shortBody = .made { Array(short().description.utf8) }
        return response
    }

    /// A page without scripts that loads nothing.
    package static func html(_ text: String) -> Response {
        Response(status: 200, contentType: "text/html; charset=utf-8", body: .text(text))
            .with("Cache-Control", "no-store")
            .with("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    }

    package static let nothing = Response(status: 204, contentType: "", body: .text(""))

    /// A problem as problem+json (RFC 9457).
    package static func problem(_ problem: Problem, status: UInt32? = nil) -> Response {
        var response = Response(
            status: status ?? UInt32(problem.httpStatus), contentType: "application/problem+json", body: .problem(problem))
        if let seconds = problem.retryAfter { response.headers.append(("Retry-After", String(Int(seconds.rounded(.up))))) }
        if case .methodNotAllowed(_, let allowed) = problem {
            response.headers.append(("Allow", allowed.joined(separator: ", ")))
        }
        if response.status == 401 {
            response.headers.append(("WWW-Authenticate", "Bearer realm=\"picket\", Basic realm=\"picket\""))
        }
        return response
    }

    /// The answer to a request that is rejected because of a limit on memory or on waiting requests.
    package static func turnedAway(retryAfter seconds: Double) -> Response {
        problem(.rateLimited(retryAfter: seconds), status: 503)
    }

    package func with(_ name: String, _ value: String) -> Response {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}

extension Problem {
    /// Seconds after which the client may try again; nil for problems without `Retry-After`.
    var retryAfter: Double? {
        switch self {
        case .rateLimited(let seconds): seconds ?? 1
        case .storeBusy, .storeFull, .storeReplaced, .diskFailed, .cancelled: 5
        case .clockImplausible: 10
        default: nil
        }
    }
}
