/// Collects the headers of a request.
struct RequestHead {
    private(set) var headers = Request.Headers()
    /// The bytes of all headers.
    private(set) var bytes = 0
    private(set) var bodyLength = Request.BodyLength.none
    /// The number of headers that specify the end of the body.
    private var lengths = 0

    /// - Parameters:
    ///   - name: Case-insensitive.
    ///   - valueLength: The number of bytes of the value.
    ///   - value: Called only for headers that the service reads.
    mutating func add(_ name: Span<UInt8>, valueLength: Int = 0, _ value: () -> String) {
        // With a colon, a space, and the end of the line.
        bytes += name.count + valueLength + 4
        if name.equalsIgnoringCase(Self.contentLength) {
            setBodyLength(Int(value()).map(Request.BodyLength.bytes) ?? .none)
        } else if name.equalsIgnoringCase(Self.transferEncoding) {
            setBodyLength(.chunked)
        } else if let header = HeaderName(name) {
            headers.append(header, value())
        }
    }

    private mutating func setBodyLength(_ length: Request.BodyLength) {
        lengths += 1
        bodyLength = lengths == 1 ? length : .ambiguous
    }

    private static let contentLength = Array("content-length".utf8)
    private static let transferEncoding = Array("transfer-encoding".utf8)
}

extension String {
    /// The value of a header field: UTF-8, which most clients send, else ISO-8859-1 (RFC 9110, 5.5).
    package init(headerValue bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self = text
        } else {
            self.init(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        }
    }
}
