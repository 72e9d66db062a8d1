/// The head of a response while it arrives: the status and the headers.
package struct ResponseHead: Sendable {
    /// The maximum size in bytes, with the heads of interim responses such as `100 Continue`.
    package static let maximumSize = 64 << 10

    /// 0 before the status line.
    package private(set) var status = 0
    /// In the order in which the server sent them.
    package private(set) var headers: [HTTPHeader] = []
    /// Whether the head of a final response is complete.
    package private(set) var isComplete = false
    private var size = 0

    package init() {}

    /// Whether the status is from 200 to 299.
    var isSuccess: Bool { (200...299).contains(status) }

    /// Whether the head was larger than `maximumSize`, so that no more was read.
    package var isTooLarge: Bool { size > Self.maximumSize }

    /// Receives a line: the status line, a header, or the empty line at the end. A further status line, for example after `100 Continue`,
    /// starts the response again.
    ///
    /// - Returns: Whether more may be received.
    package mutating func receive(_ line: some Collection<UInt8>) -> Bool {
        size += line.count
        if isTooLarge { return false }
        let line = String(decoding: line, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            let words = line.split(whereSeparator: \.isWhitespace)
            status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            headers = []
            isComplete = false
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            headers.append(
                HTTPHeader(HTTPClient.trimmed(line[..<colon]), HTTPClient.trimmed(line[line.index(after: colon)...])))
        } else if status >= 200 {
            isComplete = true
        }
        return true
    }
}
