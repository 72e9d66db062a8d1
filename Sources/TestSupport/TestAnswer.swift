import Model

/// The answer of a service.
public struct TestAnswer: Sendable, Equatable {
    public struct Header: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public var status: Int
    /// In the order in which they were received.
    public var headers: [Header] = []
    public var body: [UInt8] = []

    public init(status: Int) { self.status = status }

    /// The value of a header, whose name is case-insensitive; nil when it is missing.
    public subscript(header: String) -> String? { headers.first { $0.name.lowercased() == header.lowercased() }?.value }

    public var text: String { String(decoding: body, as: UTF8.self) }

    public func json() throws -> JSONValue { try JSONParser.parse(text) }
}
