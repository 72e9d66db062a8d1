/// The response of one request, which libcurl's callbacks fill.
final class HTTPTransfer {
    private(set) var response = HTTPResponse(status: 0)
    /// Receives bytes of the body. Returning false ends the transfer.
    private let write: (inout HTTPResponse, [UInt8]) -> Bool

    init(write: @escaping (inout HTTPResponse, [UInt8]) -> Bool) { self.write = write }

    func receiveBody(_ bytes: [UInt8]) -> Bool { write(&response, bytes) }

    /// Receives a line of the head: the status line, a header, or the empty line at the end. A further status line, for example after `100
    /// Continue`, starts the response again.
    func receiveHeaderLine(_ bytes: [UInt8]) {
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
