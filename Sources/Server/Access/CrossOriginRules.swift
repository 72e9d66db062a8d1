import HTTPServer
import Routing

/// Lets pages of configured origins use the service from browsers (Fetch standard, "CORS protocol").
///
/// Such a page sends a token. Answers never allow credentials, so a page of another origin cannot use the cookie of a session.
struct CrossOriginRules: Sendable {
    /// As browsers send them in `Origin`, such as `https://app.example.org`.
    let origins: Set<String>

    /// Seconds for which a browser may remember the answer to a preflight request.
    static let maxAge = 600
    /// The headers that pages may send, in addition to those that need no permission.
    static let requestHeaders = [
        "Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer",
    ]
    /// The headers of answers that pages may read, in addition to those that need no permission.
    static let answerHeaders = [
        "Content-Disposition", "ETag", "Link", "Location", "Preference-Applied", "Retry-After", "WWW-Authenticate",
    ]

    /// The origin of a request if it is a configured one.
    private func origin(of request: Request) -> String? {
        request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
    }

    /// The answer to a preflight request of a configured origin; nil for other requests.
    ///
    /// - Parameter methods: The methods of the address.
    func preflight(_ request: Request, methods: @autoclosure () -> [String]) -> Response? {
        guard request.method == "OPTIONS", request.headers[.accessControlRequestMethod] != nil, origin(of: request) != nil else {
            return nil
        }
        return Response.nothing
            .with("Access-Control-Allow-Methods", methods().joined(separator: ", "))
            .with("Access-Control-Allow-Headers", Self.requestHeaders.joined(separator: ", "))
            .with("Access-Control-Max-Age", "\(Self.maxAge)")
    }

    /// Adds the headers with which a browser shows the answers to a page of a configured origin.
    func allow(_ beginning: Beginning, for request: Request) -> Beginning {
        if origins.isEmpty { return beginning }
        let origin = origin(of: request)
        return beginning.changing { response in
            // Set even without an allowed origin, so that caches do not give this answer to pages of other origins.
            let response = response.with("Vary", "Origin")
            guard let origin else { return response }
            return response.with("Access-Control-Allow-Origin", origin)
                .with("Access-Control-Expose-Headers", Self.answerHeaders.joined(separator: ", "))
        }
    }
}

extension Beginning {
    /// The same with changed answers.
    func changing(_ change: @escaping @Sendable (Response) -> Response) -> Beginning {
        switch self {
        case .refuse(let response): .refuse(change(response))
        case .handle(let handler, let traits): .handle(ChangingHandler(handler, change), traits)
        }
    }
}

/// Changes the answers of another handler.
private final class ChangingHandler: RequestHandler {
    private let handler: any RequestHandler
    private let change: @Sendable (Response) -> Response

    init(_ handler: any RequestHandler, _ change: @escaping @Sendable (Response) -> Response) {
        self.handler = handler
        self.change = change
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? { unsafe handler.receive(bytes).map(change) }
    var heldBytes: Int { handler.heldBytes }
    var unusedBytes: Int { handler.unusedBytes }

    func finish() -> RequestOutcome {
        let change = change
        switch handler.finish() {
        case .now(let response): return .now(change(response))
        case .later(let begin): return .later { reply in begin(Reply { reply(change($0)) }) }
        }
    }
}
