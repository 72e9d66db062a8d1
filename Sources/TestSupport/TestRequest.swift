/// A request that a test sends to a service.
package struct TestRequest: Sendable {
    package var method: String
    /// The path and the query, as in the first line of a request.
    package var target: String
    /// The headers of the test, and `Content-Type` if there is a body.
    package var headers: [TestAnswer.Header]
    package var body: [UInt8]?

    /// - Parameter type: The content type of the body, unless `headers` has one.
    package init(
        _ method: String, _ target: String, body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:]
    ) {
        self.method = method
        self.target = target
        self.headers = headers.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
        self.body = body.map { Array($0.utf8) }
        if body != nil, headers["Content-Type"] == nil { self.headers.append(.init(name: "Content-Type", value: type)) }
    }

    /// All headers of a request to a service on this machine.
    package func headers(port: Int) -> [TestAnswer.Header] {
        [.init(name: "Host", value: "127.0.0.1:\(port)")] + headers
            + (body.map { [.init(name: "Content-Length", value: "\($0.count)")] } ?? [])
    }

    /// The bytes of a request to a service on this machine (RFC 9112, 2.1).
    package func bytes(port: Int) -> [UInt8] {
        let lines = ["\(method) \(target) HTTP/1.1"] + headers(port: port).map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}
