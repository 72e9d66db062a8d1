/// What is asked of a server.
package struct HTTPRequest: Sendable {
    /// As `GET`, in capitals.
    package var method: String
    /// `http` or `https`, already escaped.
    package var url: String
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(_ method: String = "GET", _ url: String, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The URL up to its path, without a name and password in it, for messages.
    package var peer: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return url[..<scheme.upperBound] + String(host)
    }

    /// The first thing in it that cannot be sent: a line break in a header would begin another one.
    var flaw: HTTPClientError? {
        for header in headers
        where (header.name + header.value).unicodeScalars.contains(where: { "\r\n\0".unicodeScalars.contains($0) }) {
            return .malformedHeader(name: header.name)
        }
        if url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) { return .unescapedURL(url) }
        return nil
    }
}
