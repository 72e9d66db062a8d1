/// One request on its way: what libcurl's callbacks are given, and what has come so far.
final class HTTPTransfer {
    private(set) var response = HTTPResponse(status: 0)
    /// Takes bytes of the body; false ends the transfer.
    private let write: (inout HTTPResponse, [UInt8]) -> Bool

    init(write: @escaping (inout HTTPResponse, [UInt8]) -> Bool) { self.write = write }

    func take(_ bytes: [UInt8]) -> Bool { write(&response, bytes) }

    /// Takes a line of the head: the status line, a header, or the empty line at the end. Another status line (after `100
    /// Continue`) begins anew.
    func takeHeader(_ bytes: [UInt8]) {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            let words = line.split(whereSeparator: \.isWhitespace)
            response = HTTPResponse(status: words.count > 1 ? Int(words[1]) ?? 0 : 0)
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...]
            response.headers.append(HTTPHeader(HTTPClient.trimmed(line[..<colon]), HTTPClient.trimmed(value)))
        }
    }
}

extension HTTPClient {
    package static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
