import CMicrohttpd
import Model
import Routing

/// One HTTP request on its connection, from its first line to the end of its answer.
///
/// `@unchecked Sendable`: an HTTP thread owns the exchange until it suspends the connection. Then the holder of the `Reply` owns it until
/// it resumes the connection, which gives it back. libmicrohttpd makes no calls in between, and its lock orders the two.
@safe final class Exchange: @unchecked Sendable {
    private let connection: HTTPConnection
    private let daemon: HTTPDaemon
    private let target: String
    /// Nil before the head has been received.
    private var pending: PendingRequest?
    /// The answer to a waiting request.
    private var reply: Response?
    private var status: UInt32 = 0
    private let start = ContinuousClock.now
    private var isStream = false
    /// Bytes of memory that are reserved for the body, and then for the answer.
    private var reserved = 0
    /// The most bytes that were reserved at a time.
    private var mostReserved = 0
    /// The bytes of the answer, if they are in memory.
    private var answered = 0
    /// The client for whom they are reserved; nil before the first bytes.
    private var sender: MemoryBudget.Sender?
    /// Whether the request was rejected because of a limit.
    private var isRejectedForLoad = false
    /// Whether the answer has been passed to libmicrohttpd.
    private var isAnswered = false

    init(_ daemon: HTTPDaemon, _ connection: HTTPConnection, target: String) {
        self.daemon = daemon
        self.connection = connection
        self.target = target
    }

    /// The access handler of libmicrohttpd. It is called for the head, for each part of the body, once with no bytes at the end of the
    /// body, and again when the connection is resumed.
    func handle(method: UnsafePointer<CChar>, _ bytes: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>) -> MHD_Result {
        guard pending != nil else { return unsafe begin(String(cString: method)) }
        if unsafe count.pointee > 0 {
            let size = unsafe count.pointee
            unsafe count.pointee = 0
            guard let bytes = unsafe bytes else { return .YES }
            let unused = unsafe receive(bytes, size)
            if unused > 0 {
                unsafe count.pointee = unused
                // libmicrohttpd passes the rest again in its next round, after the other connections of the thread.
                connection.pause()
                connection.resume()
            }
            return .YES
        }
        if let reply {
            // No answer ends the connection.
            return reply.isGivenUp && pending?.request.presence?.hasLeft == true ? .NO : queue(reply)
        }
        return finish()
    }

    private func begin(_ method: String) -> MHD_Result {
        let pending = PendingRequest(connection.request(method: method, target: target)) { request in
            daemon.isClosing ? .refuse(.problem(.cancelled)) : daemon.responder.begin(request)
        }
        daemon.headReceived(connection, isRefused: pending.traits.isRefused)
        self.pending = pending
        if !pending.readsBody, let response = pending.response { return queue(response) }
        return .YES
    }

    /// - Returns: The number of bytes at the end that were not used.
    private func receive(_ bytes: UnsafePointer<CChar>, _ size: Int) -> Int {
        guard pending?.wantsBody == true else { return 0 }
        let unused = unsafe bytes.withMemoryRebound(to: UInt8.self, capacity: size) {
            unsafe pending?.receive(UnsafeBufferPointer(start: $0, count: size)) ?? 0
        }
        if let refusal = refusal(reserving: pending?.heldBytes ?? 0) {
            isRejectedForLoad = refusal.status == 503
            pending?.reject(with: refusal)
        }
        return unused
    }

    /// Reserves memory. If there is not enough, nothing is reserved, and the refusal of the request is returned.
    private func refusal(reserving bytes: Int) -> Response? {
        switch reserve(bytes) {
        case .granted: return nil
        case .senderExceeds:
            _ = reserve(0)
            return .problem(.rateLimited(retryAfter: 2))
        case .allExceed:
            _ = reserve(0)
            return .turnedAway(retryAfter: 2)
        }
    }

    private func reserve(_ bytes: Int) -> MemoryBudget.Reservation {
        guard bytes != reserved, let pending else { return .granted }
        let sender = sender ?? makeSender(of: pending)
        self.sender = sender
        defer { mostReserved = max(mostReserved, reserved) }
        return daemon.limits.budget.resize(&reserved, to: bytes, for: sender)
    }

    private func makeSender(of pending: PendingRequest) -> MemoryBudget.Sender {
        let address = pending.request.clientAddress(trusting: daemon.limits.trustedProxies)
        return MemoryBudget.Sender(token: pending.traits.tokenID, address: address)
    }

    private func finish() -> MHD_Result {
        if let response = pending?.response { return queue(response) }
        guard let outcome = pending?.finish() else { return .NO }
        daemon.requestReceived(connection)
        switch outcome {
        case .now(let response): return queue(response)
        case .later(let begin):
            connection.pause()
            if !begin(Reply { self.answer($0) }) {
                isRejectedForLoad = true
                answer(.turnedAway(retryAfter: 1))
            }
            return .YES
        }
    }

    /// Answers a waiting request.
    private func answer(_ response: Response) {
        reply = response
        connection.resume()
    }

    /// The number of bytes of an answer for which no memory is reserved, so that short answers are always possible.
    private static let shortAnswer = 16_384

    private func queue(_ complete: Response) -> MHD_Result {
        guard !isAnswered, let pending else { return .NO }
        let request = pending.request
        isAnswered = true
        reply = nil
        var response = complete
        var content = response.content(for: request, contact: daemon.responder.supportContact)
        if let refusal = refusal(reserving: content.heldBytes > Self.shortAnswer ? content.heldBytes : 0) {
            if !pending.traits.hasEffects {
                isRejectedForLoad = refusal.status == 503
                response = refusal
                content = response.content(for: request, contact: daemon.responder.supportContact)
            } else if let short = complete.shortBody {
                response.body = short
                content = response.content(for: request, contact: daemon.responder.supportContact)
            }
        }
        status = response.status
        isStream = response.isStream
        guard let made = unsafe makeResponse(content) else { return .NO }
        defer { unsafe MHD_destroy_response(made) }
        response.forEachHeader { name, value in _ = unsafe MHD_add_response_header(made, name, value) }
        if daemon.isClosing { _ = unsafe MHD_add_response_header(made, "Connection", "close") }
        return unsafe MHD_queue_response(connection.pointer, response.status, made)
    }

    private func makeResponse(_ content: Response.Content) -> OpaquePointer? {
        switch content {
        case .text(var text): text.withUTF8 { unsafe copyBytes($0) }
        case .bytes(let bytes): unsafe bytes.withUnsafeBufferPointer { unsafe copyBytes($0) }
        case .source(let source): unsafe connection.response(from: source)
        }
    }

    private func copyBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
        answered = bytes.count
        return unsafe MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }

    /// Called when the request has ended, with or without an answer.
    func ended(_ code: MHD_RequestTerminationCode) {
        if pending?.traits.isHeavy == true || max(mostReserved, answered) > HTTPDaemon.muchMemory { daemon.memoryFreed() }
        _ = reserve(0)
        let request = pending?.request
        request?.presence?.end()
        let isStalled = isAnswered && code == .REQUEST_TERMINATED_TIMEOUT_REACHED
        daemon.requestEnded(connection, hasBegun: pending != nil)
        daemon.responder.ended(
            .init(
                method: request?.method ?? "", path: target, status: isAnswered ? status : 0,
                seconds: (ContinuousClock.now - start).seconds,
                client: isAnswered && (status >= 400 || isStalled)
                    ? request?.client(trusting: daemon.limits.trustedProxies) ?? "" : "",
                isStream: isStream, isStalled: isStalled, isRejectedForLoad: isRejectedForLoad))
    }
}
