import Delivery
import Model

/// Sends mail (SMTP, RFC 5321).
final class MailSender: SinkSender {
    // Mail servers limit connections.
    let limit = 2
    let isPipelined = false
    private let loop: TransferLoop
    private let sink: Sink

    init(_ sink: Sink, loop: TransferLoop) {
        self.sink = sink
        self.loop = loop
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .mail(let mail) = message else { return done(.wrongMessage(sink)) }
        let target = mail.target
        let sink = sink
        let request = MailRequest(
            server: target.server, user: target.user, password: target.password, sender: target.sender,
            recipients: target.recipients, text: mail.text, requiresTLS: !target.allowsPlain)
        loop.start(.mail(request)) { result in
            if let problem = result.problem { return done(SendResult(DeliveryOutcome(problem.scrubbed(of: sink)))) }
            done(
                SendResult(
                    DeliveryOutcome(smtpReply: result.response.status, text: sink.scrubbed(result.response.text), sink: sink.id)))
        }
    }

    func stop() {}
}
