import HTTPClient
import Model

extension Problem {
    /// The problem that a person sees if a request was not answered.
    package init(_ error: HTTPClientError) {
        switch error {
        case .cannotConnect(let peer, let details): self = .noConnection(peer: peer, details: .verbatim(details))
        case .timedOut(let peer, let details): self = .timeout(peer: peer, details: .verbatim(details))
        case .tlsFailed(let peer, let details): self = .tlsFailed(peer: peer, details: .verbatim(details))
        case .schemeMismatch(let peer, let other): self = .schemeMismatch(peer: peer, other: other)
        case .notHTTP(let peer, let details): self = .noConnection(peer: peer, details: .saying(.notHTTP, details))
        case .answerTooLarge(let peer, let limit): self = .tooLarge(what: .answer(peer), limit: .bytes(limit))
        case .malformedHeader(let name):
            self = .validationFailed(field: "header", value: name, reason: Phrase("it contains a line break"), expected: .oneLine)
        case .unescapedURL(let url):
            self = .validationFailed(
                field: "url", value: url, reason: .spaceOrControlCharacter, expected: .escapedURL)
        case .unusableURL(let peer, let details):
            self = .validationFailed(
                field: "url", value: peer, reason: Phrase("no request can be sent to this address (\(details))"),
                expected: Phrase("http://HOST:PORT/… or https://…"))
        case .cannotStart: self = .unknown(details: .libraryCannotStart("libcurl"))
        case .other(let details): self = .unknown(details: .verbatim(details))
        }
    }
}

extension HTTPResponse {
    /// The problem for a response without success; nil for a successful response.
    ///
    /// - Parameter peer: The server; see `HTTPRequest.peer`.
    package func problem(from peer: String) -> Problem? {
        if isSuccess { return nil }
        let text = String(decoding: body.prefix(500), as: UTF8.self)
        return Problem(foreign: text.isEmpty ? "HTTP status \(status)" : text, status: status, peer: peer, retryAfter: retryAfter)
    }
}
