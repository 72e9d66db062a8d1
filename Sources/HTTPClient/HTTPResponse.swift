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
