import CMicrohttpd
import Model
import Service

/// Receives a request's body and answers the request.
protocol RequestHandler: AnyObject {
    /// Receives a part of the body. The bytes are only valid during the call.
    ///
    /// - Returns: An answer if no more of the body is needed, else nil.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response?
    /// Called when the whole body has been received.
    func finish() -> Outcome
}

/// How a completely received request is answered.
enum Outcome {
    case now(Response)
    /// The closure receives the reply and answers later; until then the connection is suspended. The closure returns false when the request
    /// cannot be accepted at present.
    case later((Reply) -> Bool)
}

/// Answers a suspended request. It can be called on any thread, exactly once.
struct Reply: Sendable {
    fileprivate let exchange: Exchange

    func callAsFunction(_ response: Response) { exchange.answer(response) }
}

/// One HTTP request, from its first line to the end of its answer.
///
/// `@unchecked Sendable`: an HTTP thread owns the exchange until it suspends the connection. Then the holder of the `Reply` owns it until
/// it resumes the connection, which gives it back. libmicrohttpd makes no calls in between, and its lock orders the two.
@safe final class Exchange: @unchecked Sendable {
    private let connection: OpaquePointer
    private let daemon: HTTPDaemon
    private let target: String
    private var handler: (any RequestHandler)?
    private var language = Language.english
    private var method = ""
    private var response: Response?
    private var hasBegun = false
    private var status: UInt32 = 0
    private let start = ContinuousClock.now
    private var isStream = false
    /// Bytes of the body received so far.
    private var received = 0
    /// Whether the request was rejected because of a limit.
    private var isTurnedAway = false
    /// Whether the whole request has been received.
    private var isThere = false
    /// Whether the answer has been passed to libmicrohttpd.
    private var isAnswered = false

    init(_ daemon: HTTPDaemon, _ connection: OpaquePointer, target: String) {
        self.daemon = daemon
        unsafe self.connection = connection
        self.target = target
    }

    /// The access handler of libmicrohttpd. It is called for the head, for each part of the body, once with no bytes at the end of the
    /// body, and again when the connection is resumed.
    func handle(method: UnsafePointer<CChar>, _ bytes: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>) -> MHD_Result {
        if !hasBegun {
            hasBegun = true
            unsafe daemon.headIsThere(connection)
            return unsafe begin(String(cString: method))
        }
        if unsafe count.pointee > 0 {
            let size = unsafe count.pointee
            unsafe count.pointee = 0
            guard response == nil, let handler, let bytes = unsafe bytes else { return .YES }
            received += size
            guard daemon.limits.bodies.take(size) else {
                turnAway(retryAfter: 2)
                return .YES
            }
            response = unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: size) {
                unsafe handler.receive(UnsafeBufferPointer(start: $0, count: size))
            }
            return .YES
        }
        if let response { return queue(response) }
        guard let handler else { return .NO }
        self.handler = nil
        isThere = true
        unsafe daemon.requestIsThere(connection)
        switch handler.finish() {
        case .now(let response): return queue(response)
        case .later(let begin):
            unsafe MHD_suspend_connection(connection)
            if !begin(Reply(exchange: self)) {
                turnAway(retryAfter: 1)
                unsafe MHD_resume_connection(connection)
            }
            return .YES
        }
    }

    private func turnAway(retryAfter seconds: Double) {
        isTurnedAway = true
        response = .problem(.rateLimited(retryAfter: seconds), status: 503)
    }

    private func begin(_ method: String) -> MHD_Result {
        self.method = method
        let request = unsafe Request(method: method, target: Target(target), connection: connection)
        if request.isAmbiguous {
            // The end of such a request is ambiguous, and a proxy may interpret it differently (RFC 9112, 6.3 and 11.2).
            let problem = Problem.decodingFailed(
                source: "the request", line: nil, reason: .twoLengths)
            return queue(.problem(problem).with("Connection", "close"))
        }
        switch daemon.isClosing ? .refuse(.problem(.cancelled)) : daemon.responder.begin(request) {
        case .handle(let handler): self.handler = handler
        case .refuse(let response):
            language = request.language
            // A small body is read to its end, so that the connection can be reused.
            let length = request.contentLength ?? (request.header("Transfer-Encoding") == nil ? 0 : .max)
            guard (0...65_536).contains(length) else { return queue(response.with("Connection", "close")) }
            self.response = response
        }
        return .YES
    }

    /// Answers a suspended request.
    fileprivate func answer(_ response: Response) {
        self.response = response
        unsafe MHD_resume_connection(connection)
    }

    private func queue(_ response: Response) -> MHD_Result {
        guard !isAnswered else { return .NO }
        isAnswered = true
        status = response.status
        if case .stream = response.body { isStream = true }
        if case .problem = response.body, language == .english {
            language = unsafe Request(method: method, target: Target(""), connection: connection).language
        }
        guard let made = unsafe made(response) else { return .NO }
        defer { unsafe MHD_destroy_response(made) }
        if !response.contentType.isEmpty { unsafe add("Content-Type", response.contentType, to: made) }
        for header in response.headers { unsafe add(header.name, header.value, to: made) }
        unsafe add("X-Content-Type-Options", "nosniff", to: made)
        if daemon.isClosing { unsafe add("Connection", "close", to: made) }
        return unsafe MHD_queue_response(connection, response.status, made)
    }

    private func add(_ name: String, _ value: String, to response: OpaquePointer) {
        _ = unsafe MHD_add_response_header(response, name, value)
    }

    private func made(_ response: Response) -> OpaquePointer? {
        switch response.body {
        case .text(let text): unsafe copied(text)
        case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe copied($0) }
        case .made(let make): unsafe make().withUnsafeBufferPointer { unsafe copied($0) }
        case .problem(let problem):
            unsafe copied(
                problem.document(
                    status: response.status, in: language, contact: daemon.responder.supportContact
                ).description)
        // A stream has no length, so libmicrohttpd would write a chunked end, which an answer to HEAD must not have.
        case .stream where method == "HEAD": unsafe copied("")
        case .stream(let stream): unsafe stream.makeResponse(for: connection)
        case .download where method == "HEAD": unsafe copied("")
        case .download(let download): unsafe download.makeResponse(for: connection)
        }
    }

    private func copied(_ text: String) -> OpaquePointer? {
        var text = text
        return text.withUTF8 { unsafe copied($0) }
    }

    private func copied(_ bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
        unsafe MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }

    /// Called when the request has ended, with or without an answer.
    func ended(_ code: MHD_RequestTerminationCode) {
        daemon.limits.bodies.giveBack(received)
        let client =
            isAnswered && status >= 400
            ? unsafe Request(method: method, target: Target(""), connection: connection).client(
                trusting: daemon.limits.trustedProxies) : ""
        daemon.responder.ended(
            .init(
                method: method, path: target, status: isAnswered ? status : 0,
                seconds: (ContinuousClock.now - start).seconds, client: client, isStream: isStream,
                isTurnedAway: isTurnedAway))
        unsafe daemon.isIdle(connection, wasThere: isThere)
    }
}
