import Delivery
import Model
import Synchronization
import Workers

/// Sends mail (SMTP, RFC 5321) on a thread of its own, because libcurl blocks until the server has accepted a mail.
final class MailSender: SinkSender {
    // Mail servers limit connections.
    let limit = 2
    let isPipelined = false

    private struct State {
        /// Nil before the first mail.
        var loop: TransferLoop?
        var thread: WorkThreads?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let makeLoop: @Sendable () throws(Problem) -> TransferLoop
    private let sink: Sink

    init(_ sink: Sink, makeLoop: @escaping @Sendable () throws(Problem) -> TransferLoop) {
        self.makeLoop = makeLoop
        self.sink = sink
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .mail(let mail) = message else { return done(.wrongMessage(sink)) }
        let target = mail.target
        let request = MailRequest(
            server: target.server, user: target.user, password: target.password, sender: target.sender,
            recipients: target.recipients, text: mail.text, requiresTLS: !target.allowsPlain)
        let loop: TransferLoop
        do throws(Problem) {
            loop = try startedLoop()
        } catch {
            return done(SendResult(DeliveryOutcome(error)))
        }
        // The sender, and with it the loop, exists until the mail is sent.
        loop.start(.mail(request)) { [self] result in
            if let problem = result.problem { return done(SendResult(DeliveryOutcome(problem.scrubbed(of: sink)))) }
            done(
                SendResult(
                    DeliveryOutcome(smtpReply: result.response.status, text: sink.scrubbed(result.response.text), sink: sink.id)))
        }
    }

    private func startedLoop() throws(Problem) -> TransferLoop {
        try state.withLock { state throws(Problem) in
            if state.isStopped { throw .cancelled }
            if let loop = state.loop { return loop }
            let loop = try makeLoop()
            state.loop = loop
            state.thread = WorkThreads("picket mail sink") { loop.run() }
            return loop
        }
    }

    deinit { state.withLock { $0.loop }?.stop() }

    func stop() {
        let (loop, thread) = state.withLock { state in
            state.isStopped = true
            return (state.loop, state.thread)
        }
        loop?.stop()
        thread?.join()
    }
}
