/// The response of one request, which libcurl's callbacks fill.
final class HTTPTransfer {
    private(set) var head = ResponseHead()
    private var body: [UInt8] = []
    /// Receives bytes of the body. Returning false ends the transfer.
    private let write: (HTTPTransfer, [UInt8]) -> Bool

    init(write: @escaping (HTTPTransfer, [UInt8]) -> Bool) { self.write = write }

    var response: HTTPResponse { HTTPResponse(status: head.status, headers: head.headers, body: body) }

    func receiveBody(_ bytes: [UInt8]) -> Bool { write(self, bytes) }

    /// Adds bytes to the body. Returns false, and adds nothing, if the body would be larger than `limit`.
    func append(_ bytes: [UInt8], limit: Int) -> Bool {
        guard body.count + bytes.count <= limit else { return false }
        body += bytes
        return true
    }

    /// Receives a line of the head. Returning false ends the transfer.
    func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool { unsafe head.receive(bytes) }
}

extension HTTPClient {
    package static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
