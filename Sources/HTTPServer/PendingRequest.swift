import Model
import Routing

/// How a request continues after its head.
package enum Beginning {
    case handle(any RequestHandler, RequestTraits = RequestTraits())
    case refuse(Response)
}

/// What is known about a request when its head has been received.
package struct RequestTraits: Sendable {
    /// The id of the request's token; nil if it has none.
    var tokenID: String?
    /// Whether the request will be refused when its body has been examined.
    var isRefused: Bool
    /// Whether the request may have changed something. Then its answer is never replaced by a refusal.
    var hasEffects: Bool
    /// Whether the request may take much memory although its body and its answer are small.
    var isHeavy: Bool

    package init(tokenID: String? = nil, isRefused: Bool = false, hasEffects: Bool = false, isHeavy: Bool = false) {
        self.tokenID = tokenID
        self.isRefused = isRefused
        self.hasEffects = hasEffects
        self.isHeavy = isHeavy
    }
}

/// A request from its head to its response, without a connection. The owner passes the parts of the body and sends the response.
struct PendingRequest {
    let request: Request
    /// The response, if it is known before the whole request has been received.
    private(set) var response: Response?
    /// Whether the body is read before the response is sent.
    private(set) var readsBody = true
    private var handler: (any RequestHandler)?
    private(set) var traits = RequestTraits()

    /// The longest body in bytes that is read to its end although the request is refused, so that the connection can be reused.
    private static let longestRefusedBody = 16_384

    /// - Parameter begin: Returns the handler of the request or a refusal. It is not called for an ambiguous request.
    init(_ request: Request, begin: (Request) -> Beginning) {
        self.request = request
        if request.bodyLength == .ambiguous {
            // The end of such a request is ambiguous, and a proxy may interpret it differently (RFC 9112, 6.3 and 11.2).
            let problem = Problem.decodingFailed(
                source: .request, line: nil,
                reason: Phrase("it gives more than one length of its body, or both a length and chunks"))
            refuseAtOnce(.problem(problem))
            return
        }
        switch begin(request) {
        case .handle(let handler, let traits): (self.handler, self.traits) = (handler, traits)
        case .refuse(let response):
            traits.isRefused = true
            switch request.bodyLength {
            case .none: self.response = response
            case .bytes(let count) where (0...Self.longestRefusedBody).contains(count): self.response = response
            case .bytes, .chunked, .ambiguous: refuseAtOnce(response)
            }
        }
    }

    private mutating func refuseAtOnce(_ response: Response) {
        readsBody = false
        traits.isRefused = true
        self.response = response.with("Connection", "close")
    }

    /// Whether the rest of the body is needed.
    var wantsBody: Bool { response == nil && handler != nil }

    /// Passes a part of the body to the handler.
    ///
    /// - Returns: The number of bytes at its end that are to be passed again, after other requests.
    mutating func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard wantsBody else { return 0 }
        response = unsafe handler?.receive(bytes)
        if response != nil { handler = nil }
        return handler?.unusedBytes ?? 0
    }

    /// The approximate number of bytes of memory that the received body takes.
    var heldBytes: Int { handler?.heldBytes ?? 0 }

    /// Replaces the handler's response, and releases what was received.
    mutating func reject(with response: Response) {
        self.response = response
        handler = nil
    }

    /// Called when the whole request has been received.
    ///
    /// - Returns: Nil when it has been called before.
    mutating func finish() -> RequestOutcome? {
        if let response { return .now(response) }
        defer { handler = nil }
        return handler?.finish()
    }
}
