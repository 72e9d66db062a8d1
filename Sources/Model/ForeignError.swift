extension Problem {
    /// The problem that corresponds to an error of another service, of which only a text or an HTTP status is known.
    ///
    /// A text is searched, ignoring case, in this order: 401, "unauthorized", "session expired"; 403, "forbidden"; "network", "connection",
    /// "offline"; "timeout"; 500 to 599, "server". Only isolated numbers count, so that the port in `:4010` is not a status. The status
    /// takes precedence over the text, unless the status is none of 401, 403, 408, 429 and 500 to 599.
    ///
    /// - Parameters:
    ///   - text: The text of the error, which becomes the problem's details.
    ///   - status: The HTTP status, if there is one.
    ///   - peer: The name of the other service.
    ///   - retryAfter: The seconds that the other service asked to wait, for a status 429.
    package init(foreign text: String, status: Int? = nil, peer: String, retryAfter: Double? = nil) {
        switch status {
        case 401: self = .unauthorized(details: .verbatim(text))
        case 403: self = .forbidden(details: .verbatim(text))
        case 408: self = .timeout(peer: peer, details: .verbatim(text))
        case 429: self = .rateLimited(retryAfter: retryAfter)
        case let status? where (500...599).contains(status): self = .serverError(status: status, details: .verbatim(text))
        default: self.init(text: text, peer: peer)
        }
    }

    private init(text: String, peer: String) {
        let words = text.lowercased()
        let numbers = Problem.numbers(words)
        func says(_ phrases: String...) -> Bool { phrases.contains { words.contains($0) } }

        if numbers.contains(401) || says("unauthorized", "session expired") {
            self = .unauthorized(details: .verbatim(text))
        } else if numbers.contains(403) || says("forbidden") {
            self = .forbidden(details: .verbatim(text))
        } else if says("network", "connection", "offline") {
            self = .noConnection(peer: peer, details: .verbatim(text))
        } else if says("timeout", "timed out") {
            self = .timeout(peer: peer, details: .verbatim(text))
        } else if let status = numbers.first(where: { (500...599).contains($0) }) {
            self = .serverError(status: status, details: .verbatim(text))
        } else if says("server") {
            self = .serverError(status: nil, details: .verbatim(text))
        } else {
            self = .unknown(details: .verbatim(text))
        }
    }

    /// The isolated numbers with three digits in a text: those that are not part of a word, a longer number, a fraction or an address.
    private static func numbers(_ text: String) -> [Int] {
        let bytes = Array(text.utf8)
        func isDigit(_ index: Int) -> Bool { bytes.indices.contains(index) && bytes[index] &- 48 <= 9 }
        func isPart(_ index: Int) -> Bool {
            guard bytes.indices.contains(index) else { return false }
            let byte = bytes[index]
            return isDigit(index) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
                || byte >= 0x80
        }
        func isJoined(_ mark: Int, to digit: Int) -> Bool {
            isDigit(digit) && [UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-")].contains(bytes[mark])
        }
        var found: [Int] = []
        for start in bytes.indices where !isPart(start - 1) && !isJoined(start - 1, to: start - 2) {
            guard start + 3 <= bytes.count, !isPart(start + 3), !isJoined(start + 3, to: start + 4),
                let number = Int(String(decoding: bytes[start..<start + 3], as: UTF8.self)), number >= 100
            else { continue }
            found.append(number)
        }
        return found
    }
}
