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
    var sendingProblem: HTTPClientError? {
        for header in headers
        where (header.name + header.value).unicodeScalars.contains(where: { "\r\n\0".unicodeScalars.contains($0) }) {
            return .malformedHeader(name: header.name)
        }
        if url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) { return .unescapedURL(url) }
        return nil
    }
}
