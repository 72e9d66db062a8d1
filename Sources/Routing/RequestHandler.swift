/// Receives a request's body and answers the request.
package protocol RequestHandler: AnyObject {
    /// Receives a part of the body. The bytes are only valid during the call.
    ///
    /// - Returns: An answer if no more of the body is needed, else nil.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response?
    /// The number of bytes at the end of the last part that are to be passed again, because other requests would wait for too long.
    var unusedBytes: Int { get }
    /// Called when the whole body has been received.
    func finish() -> RequestOutcome
    /// The approximate number of bytes of memory that the received data takes.
    var heldBytes: Int { get }
}

extension RequestHandler {
    package var unusedBytes: Int { 0 }
}

/// How a completely received request is answered.
package enum RequestOutcome {
    case now(Response)
    /// The closure receives the reply and answers later; until then the request waits. The closure returns false when the request
    /// cannot be accepted now.
    case later((Reply) -> Bool)
}

/// Answers a waiting request. It can be called on any thread, exactly once.
package struct Reply: Sendable {
    private let send: @Sendable (Response) -> Void

    package init(_ send: @escaping @Sendable (Response) -> Void) { self.send = send }

    package func callAsFunction(_ response: Response) { send(response) }
}
