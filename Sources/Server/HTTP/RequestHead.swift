/// Collects the headers of a request.
struct RequestHead {
    private(set) var headers = Request.Headers()
    private(set) var bodyLength = Request.BodyLength.none
    /// The number of headers that specify the end of the body.
    private var lengths = 0

    /// - Parameters:
    ///   - name: Case-insensitive.
    ///   - value: Called only for headers that the service reads.
    mutating func add(_ name: Span<UInt8>, _ value: () -> String) {
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
