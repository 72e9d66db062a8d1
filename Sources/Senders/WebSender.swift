import Delivery
import HTTPClient
import Model
import Secrets

/// Sends messages by HTTP.
final class WebSender: SinkSender {
    let limit = 16
    let isPipelined = false
    private let loop: TransferLoop
    private let sink: Sink
    private let now: @Sendable () -> Instant

    init(_ sink: Sink, loop: TransferLoop, now: @escaping @Sendable () -> Instant) {
        self.sink = sink
        self.loop = loop
        self.now = now
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .request(let request) = message else { return done(.wrongMessage(sink)) }
        send(request, hops: 0, movedTo: nil, done)
    }

    private func send(
        _ request: OutgoingRequest, hops: Int, movedTo: String?, _ done: @escaping @Sendable (SendResult) -> Void
    ) {
        let sink = sink
        loop.start(.web(signed(request))) { [self] result in
            if let problem = result.problem {
                return done(SendResult(DeliveryOutcome(problem.scrubbed(of: sink)), movedTo: movedTo))
            }
            let status = result.response.status
            if let next = RedirectPolicy.redirected(request, status: status, to: result.redirect, hops: hops) {
                let isForGood = status == 301 || status == 308
                return send(next, hops: hops + 1, movedTo: isForGood ? WebAddress.masked(next.url) : movedTo, done)
            }
            var details = sink.scrubbed(result.response.text)
            if let redirect = result.redirect { details = "it points to \(WebAddress.masked(redirect)), which is not followed" }
            done(
                SendResult(
                    DeliveryOutcome(httpStatus: status, retryAfter: result.response.retryAfter, sink: sink.id, details: details),
                    movedTo: movedTo))
        }
    }

    /// The request with the header `Picket-Signature`: `t=…,v1=HMAC-SHA256(secret, t + "." + body)`, where `t` is in Unix seconds.
    private func signed(_ request: OutgoingRequest) -> HTTPRequest {
        var headers = request.headers.map { HTTPHeader($0.name, $0.value) }
        if let secret = request.signingSecret {
            let time = now().milliseconds / 1000
            let code = MessageSignature.hexadecimal(of: "\(time).\(request.body)", secret: secret)
            headers.append(HTTPHeader("Picket-Signature", "t=\(time),v1=\(code)"))
        }
        return HTTPRequest(request.method, request.url, headers: headers, body: Array(request.body.utf8))
    }

    func stop() {}
}

extension SendResult {
    /// The result for a message whose kind differs from the sink's, which should not happen.
    static func wrongMessage(_ sink: Sink) -> SendResult {
        SendResult(.reject(.eventRejected(sink: sink.id, status: 0, details: .noSuchMessageForSink)))
    }
}

extension Sink {
    /// A text of another party as one line of at most 300 characters, without the sink's secrets and without control characters.
    func scrubbed(_ text: String) -> String {
        var text = text
        for secret in target.secretTexts where secret.utf8.count >= 4 { text = text.replacing(secret, with: WebAddress.mask) }
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return HTTPClient.trimmed(line.prefix(300)[...])
    }
}

extension Sink {
    /// A reason whose foreign words are scrubbed.
    fileprivate func scrubbed(_ reason: Phrase) -> Phrase { reason.mapForeignWords(scrubbed) }
}

extension Problem {
    /// The problem with its details scrubbed of the sink's secrets.
    func scrubbed(of sink: Sink) -> Problem {
        switch self {
        case .noConnection(let peer, let details): .noConnection(peer: peer, details: sink.scrubbed(details))
        case .timeout(let peer, let details): .timeout(peer: peer, details: sink.scrubbed(details))
        case .tlsFailed(let peer, let details): .tlsFailed(peer: peer, details: sink.scrubbed(details))
        case .unknown(let details): .unknown(details: sink.scrubbed(details))
        default: self
        }
    }
}
