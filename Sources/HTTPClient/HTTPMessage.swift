/// A header of an HTTP message.
package struct HTTPHeader: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to an HTTP server.
package struct HTTPRequest: Sendable {
    /// In upper case, for example `GET`.
    package var method: String
    /// An escaped URL with the scheme `http` or `https`.
    package var url: String
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(_ method: String = "GET", _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The URL up to its path, without user name and password, for messages.
    package var peer: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return url[..<scheme.upperBound] + String(host)
    }

    /// The first reason why the request cannot be sent; nil if there is none. A line break in a header, for example, would begin another
    /// header.
    var flaw: HTTPClientError? {
        for header in headers
        where (header.name + header.value).unicodeScalars.contains(where: { "\r\n\0".unicodeScalars.contains($0) }) {
            return .malformedHeader(name: header.name)
        }
        if url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) { return .unescapedURL(url) }
        return nil
    }
}

/// A response of an HTTP server.
package struct HTTPResponse: Sendable {
    /// From 100 to 599.
    package var status: Int
    /// In the order in which the server sent them.
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status is from 200 to 299.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// The value of the first header with a name, in any case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// The body decoded as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The delay of the header `Retry-After` in seconds (RFC 9110, section 10.2.3). A date counts from the `Date` of the same response, so
    /// that neither clock has to be correct. Nil if the header is missing or invalid.
    package var retryAfter: Double? {
        guard let text = header("Retry-After") else { return nil }
        if let seconds = Double(text) { return seconds >= 0 && seconds.isFinite ? seconds : nil }
        guard let moment = HTTPDate.seconds(text), let now = header("Date").flatMap(HTTPDate.seconds) else { return nil }
        return Double(max(0, moment - now))
    }
}
