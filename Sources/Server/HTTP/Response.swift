import Model

/// The answer to a request.
struct Response: Sendable {
    enum Body: Sendable {
        case text(String)
        case bytes([UInt8])
        /// Bytes that are made on the thread that sends them.
        case made(@Sendable () -> [UInt8])
        /// A problem, in the language that the request prefers.
        case problem(Problem)
        /// A stream of events.
        case stream(EventStream)
        /// Content of any length, read from the store or from a file while it is sent.
        case download(Download)
    }

    var status: UInt32
    var contentType: String
    var headers: [(name: String, value: String)] = []
    var body: Body
    /// A body of a few kilobytes that says the most important. It is sent instead if there is no memory for the whole body and the request
    /// has changed something.
    var shortBody: Body?

    init(status: UInt32, contentType: String, body: Body) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    static func json(_ value: JSONValue, status: UInt32 = 200) -> Response {
        Response(status: status, contentType: "application/json", body: .text(value.description))
    }

    /// A JSON answer, with a short one for when there is no memory for it.
    static func json(_ value: JSONValue, status: UInt32 = 200, orShort short: @escaping @Sendable () -> JSONValue) -> Response {
        var response = json(value, status: status)
        response.shortBody = .made { Array(short().description.utf8) }
        return response
    }

    /// A page without scripts that loads nothing.
    static func html(_ text: String) -> Response {
        Response(status: 200, contentType: "text/html; charset=utf-8", body: .text(text))
            .with("Cache-Control", "no-store")
            .with("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    }

    static let nothing = Response(status: 204, contentType: "", body: .text(""))

    /// A problem as problem+json (RFC 9457).
    static func problem(_ problem: Problem, status: UInt32? = nil) -> Response {
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
    static func turnedAway(retryAfter seconds: Double) -> Response {
        problem(.rateLimited(retryAfter: seconds), status: 503)
    }

    func with(_ name: String, _ value: String) -> Response {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }
}

extension Response {
    /// The content of an answer, or its source.
    enum Content {
        case text(String)
        case bytes([UInt8])
        case source(any ResponseSource)

        /// About how many bytes of memory the content takes while it is sent.
        var heldBytes: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            case .source(let source): source.heldBytes
            }
        }
    }

    /// The content that is sent as the answer to a request.
    ///
    /// - Parameter contact: The support contact that problems name, if any.
    func content(for request: Request, contact: SupportContact?) -> Content {
        switch body {
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        case .made(let make): .bytes(make())
        case .problem(let problem):
            .text(
                ProblemDocument(problem: problem, status: Int(status)).json(in: AnswerLocale(request.language, contact: contact))
                    .description)
        // A stream has no length, so libmicrohttpd would write a chunked end, which an answer to HEAD must not have.
        case .stream where request.method == "HEAD", .download where request.method == "HEAD": .text("")
        case .stream(let stream): .source(stream)
        case .download(let download): .source(download)
        }
    }

    /// Calls `body` for each header that is sent.
    func forEachHeader(_ body: (_ name: String, _ value: String) -> Void) {
        if !contentType.isEmpty { body("Content-Type", contentType) }
        for header in headers { body(header.name, header.value) }
        body("X-Content-Type-Options", "nosniff")
    }

    /// Whether the answer says that the work was given up.
    var isGivenUp: Bool { if case .problem(.cancelled) = body { true } else { false } }

    /// Whether the answer is a stream of events.
    var isStream: Bool { if case .stream = body { true } else { false } }
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
