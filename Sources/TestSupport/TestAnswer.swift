import Model

/// The answer of a service.
package struct TestAnswer: Sendable, Equatable {
    package struct Header: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var status: Int
    /// In the order in which they were received.
    package var headers: [Header] = []
    package var body: [UInt8] = []

    package init(status: Int) { self.status = status }

    /// The value of a header, whose name is case-insensitive; nil when it is missing.
    package subscript(header: String) -> String? { headers.first { $0.name.lowercased() == header.lowercased() }?.value }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package func json() throws -> JSONValue { try JSONParser.parse(text) }
}
