import Model

/// A header's name and value.
public struct HTTPHeader: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What is asked of a server.
public struct HTTPRequest: Sendable {
    /// As `GET`, in capitals.
    public var method: String
    /// `http` or `https`, already escaped.
    public var url: String
    public var headers: [HTTPHeader]
    public var body: [UInt8]

    public init(_ method: String = "GET", _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The URL up to its path, without a name and password in it, for messages.
    public var peer: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return url[..<scheme.upperBound] + String(host)
    }

    /// The first thing in it that cannot be sent: a line break in a header would begin another one.
    var flaw: Problem? {
        for header in headers
        where (header.name + header.value).unicodeScalars.contains(where: { "\r\n\0".unicodeScalars.contains($0) }) {
            return .validationFailed(
                field: "header", value: header.name, reason: .lineBreak, expected: .oneLine)
        }
        if url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
            return .validationFailed(
                field: "url", value: url, reason: .spaceOrControlCharacter, expected: .escapedURL)
        }
        return nil
    }
}

/// What a server answered.
public struct HTTPResponse: Sendable {
    /// 100 to 599.
    public var status: Int
    /// In the order in which they came.
    public var headers: [HTTPHeader]
    public var body: [UInt8]

    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status is one of 200 to 299.
    public var isSuccess: Bool { (200...299).contains(status) }

    /// The value of the first header of that name, whatever its case.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// The body as UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The seconds of `Retry-After` (RFC 9110, section 10.2.3). One that is a date counts from the answer's own `Date`, so that neither
    /// clock has to be right. Nil when there is none, or when it cannot be read.
    public var retryAfter: Double? {
        guard let text = header("Retry-After") else { return nil }
        if let seconds = Double(text) { return seconds >= 0 && seconds.isFinite ? seconds : nil }
        guard let moment = HTTPDate.parse(text), let now = header("Date").flatMap(HTTPDate.parse) else { return nil }
        return max(0, moment - now)
    }

    /// What a person is told of an answer that is no success; nil for a success.
    ///
    /// - Parameter peer: Who answered; see `HTTPRequest.peer`.
    public func problem(from peer: String) -> Problem? {
        if isSuccess { return nil }
        let text = String(decoding: body.prefix(500), as: UTF8.self)
        return Problem(foreign: text.isEmpty ? "HTTP status \(status)" : text, status: status, peer: peer, retryAfter: retryAfter)
    }
}
