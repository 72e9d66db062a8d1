import Foundation
import Model
import Routing
import TestSupport

@testable import HTTPServer
@testable import Server

/// Sends requests to a service in this process, without a connection.
struct InProcessClient: TestClient {
    let api: API

    func answer(_ request: TestRequest) async throws -> TestAnswer {
        // Many routes answer without suspension, and a test that polls must not keep its thread.
        await Task.yield()
        let start = ContinuousClock.now
        let head = Request(request, port: api.site.address.port)
        var isRejectedForLoad = false
        let response = await respond(to: head, request.body ?? [], &isRejectedForLoad)
        var answer = TestAnswer(status: Int(response.status))
        response.forEachHeader { answer.headers.append(.init(name: $0, value: $1)) }
        switch response.content(for: head, contact: api.supportContact) {
        case .text(let text): answer.setBody(Array(text.utf8), to: request)
        case .bytes(let bytes): answer.setBody(bytes, to: request)
        case .source(let source): answer.body = try await Self.content(of: source, isStream: response.isStream)
        }
        api.ended(
            .init(
                method: request.method, path: request.target, status: response.status,
                seconds: (ContinuousClock.now - start).seconds,
                client: response.status >= 400 ? head.client(trusting: api.store.settings.trustedProxies) : "",
                isStream: response.isStream, isRejectedForLoad: isRejectedForLoad))
        return answer
    }

    private func respond(to head: Request, _ body: [UInt8], _ isRejectedForLoad: inout Bool) async -> Response {
        var pending = PendingRequest(head) { api.begin($0) }
        var unused = body.count
        while unused > 0 { unused = body.suffix(unused).withUnsafeBufferPointer { pending.receive($0) } }
        switch pending.finish() {
        case .now(let response): return response
        case .later(let begin):
            let reply: Response? = await withCheckedContinuation { continuation in
                if !begin(Reply { continuation.resume(returning: $0) }) { continuation.resume(returning: nil) }
            }
            isRejectedForLoad = reply == nil
            return reply ?? .turnedAway(retryAfter: 1)
        case nil: preconditionFailure("the request has been finished before")
        }
    }

    struct IsCut: Error {}

    /// The whole content of a source; for a stream, which has no end, the content up to the first pause.
    private static func content(of source: any ResponseSource, isStream: Bool) async throws -> [UInt8] {
        let connection = Connection()
        source.begin(on: connection)
        defer { source.close() }
        var body: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: source.blockSize)
        while true {
            switch buffer.withUnsafeMutableBytes({ source.read($0) }) {
            case .bytes(let count): body += buffer[..<count]
            case .paused where isStream: return body
            case .paused: await connection.waitForResume()
            case .ended: return body
            case .failed: throw IsCut()
            }
        }
    }

    /// The connection of a source that is read in this process.
    private struct Connection: PausableConnection {
        private let resumptions: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (resumptions, continuation) = AsyncStream.makeStream() }

        func pause() {}
        func resume() { continuation.yield() }

        func waitForResume() async {
            var iterator = resumptions.makeAsyncIterator()
            await iterator.next()
        }
    }
}

extension TestAnswer {
    /// Sets the body and `Content-Length` as libmicrohttpd does.
    fileprivate mutating func setBody(_ content: [UInt8], to request: TestRequest) {
        if status == 204 { return }
        headers.append(.init(name: "Content-Length", value: "\(content.count)"))
        if request.method != "HEAD" { body = content }
    }
}

extension Request {
    /// The head of a request from this machine.
    init(_ request: TestRequest, port: Int) {
        var head = RequestHead()
        for header in request.headers(port: port) {
            let name = Array(header.name.utf8)
            head.add(name.span) { header.value }
        }
        self.init(
            method: request.method, target: Target(request.target), headers: head.headers, bodyLength: head.bodyLength,
            peer: .loopback)
    }
}

extension SocketAddress {
    fileprivate static let loopback: SocketAddress = {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress($0) }
        }
    }()
}
