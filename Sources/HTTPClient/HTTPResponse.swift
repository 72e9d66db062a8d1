/// What a server answered.
package struct HTTPResponse: Sendable {
    /// 100 to 599.
    package var status: Int
    /// In the order in which they came.
    package var headers: [HTTPHeader]
    package var body: [UInt8]

    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status is one of 200 to 299.
    package var isSuccess: Bool { (200...299).contains(status) }

    /// The value of the first header of that name, whatever its case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// The body as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The seconds of `Retry-After` (RFC 9110, section 10.2.3). One that is a date counts from the answer's own `Date`, so that neither
    /// clock has to be right. Nil when there is none, or when it cannot be read.
    package var retryAfter: Double? {
        guard let text = header("Retry-After") else { return nil }
        if let seconds = Double(text) { return seconds >= 0 && seconds.isFinite ? seconds : nil }
        guard let moment = HTTPDate.seconds(text), let now = header("Date").flatMap(HTTPDate.seconds) else { return nil }
        return Double(max(0, moment - now))
    }
}
