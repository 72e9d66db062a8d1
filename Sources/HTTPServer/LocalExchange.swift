import Dispatch
import Model
import Routing
import Synchronization

/// A request that is answered in this process, without a connection. Its sender waits for the answer.
package struct LocalExchange {
    /// An answer without its body.
    package struct Answer: Sendable {
        package var status: Int
        package var headers: [(name: String, value: String)]
    }

    private let request: Request
    private let body: [UInt8]

    /// - Parameters:
    ///   - target: The path and the query, such as `/v1/devices?limit=10`.
    ///   - headers: Headers that the service does not read are ignored.
    package init(_ method: String, _ target: String, headers: [(name: String, value: String)], body: [UInt8]) {
        var known = Request.Headers()
        for (name, value) in headers {
            if let name = HeaderName(Array(name.utf8).span) { known.append(name, value) }
        }
        request = Request(
            method: method, target: Target(target), headers: known, bodyLength: body.isEmpty ? .none : .bytes(body.count),
            peer: SocketAddress())
        self.body = body
    }

    /// Passes the request to a responder, and waits for the answer.
    ///
    /// - Parameter receive: Called with the status of the answer and each part of its body.
    /// - Throws: The errors of `receive`, and `Problem.cancelled` if the rest of an answer could not be read.
    package func answer(
        by responder: any Responder, _ receive: (_ status: Int, [UInt8]) throws(Problem) -> Void
    ) throws(Problem) -> Answer {
        let response = response(of: responder)
        var headers: [(name: String, value: String)] = []
        response.forEachHeader { headers.append((name: $0, value: $1)) }
        let status = Int(response.status)
        switch response.content(for: request, contact: responder.supportContact) {
        case .text(let text): try receive(status, Array(text.utf8))
        case .bytes(let bytes): try receive(status, bytes)
        case .source(let source): try read(source) { bytes throws(Problem) in try receive(status, bytes) }
        }
        return Answer(status: status, headers: headers)
    }

    private func response(of responder: any Responder) -> Response {
        var pending = PendingRequest(request, begin: responder.begin)
        var rest = body[...]
        while !rest.isEmpty, pending.wantsBody {
            let unused = unsafe rest.withUnsafeBufferPointer { unsafe pending.receive($0) }
            rest = rest.suffix(unused)
        }
        switch pending.finish() {
        case .now(let response)?: return response
        case .later(let begin)?:
            let answered = DispatchSemaphore(value: 0)
            let found = Mutex<Response>(.turnedAway(retryAfter: 1))
            let isTaken = begin(
                Reply { response in
                    found.withLock { $0 = response }
                    answered.signal()
                })
            if isTaken { answered.wait() }
            return found.withLock { $0 }
        case nil: return .problem(.cancelled)
        }
    }

    /// Passes the content of an answer on, as it is read.
    private func read(
        _ source: any ResponseSource, _ receive: ([UInt8]) throws(Problem) -> Void
    ) throws(Problem) {
        let connection = LocalConnection()
        source.begin(on: connection)
        defer { source.close() }
        while true {
            var part = ResponsePart.ended
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: source.blockSize) { buffer, count in
                part = unsafe source.read(UnsafeMutableRawBufferPointer(buffer))
                if case .bytes(let read) = part { count = read }
            }
            switch part {
            case .bytes: try receive(bytes)
            case .paused: connection.waitUntilResumed()
            case .ended: return
            case .failed: throw .cancelled
            }
        }
    }
}

/// The connection of a source whose reader waits on its own thread.
private struct LocalConnection: PausableConnection {
    private let resumed = DispatchSemaphore(value: 0)

    func pause() {}
    func resume() { resumed.signal() }
    func waitUntilResumed() { resumed.wait() }
}
