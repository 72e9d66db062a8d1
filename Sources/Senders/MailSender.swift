import Delivery
import Dispatch
import Model
import Synchronization
import Workers

/// Sends mail (SMTP, RFC 5321) on its own thread, because libcurl blocks until the server has accepted a mail. The thread and the connection
/// end when there was no mail for a while. Can be used from any thread.
final class MailSender: SinkSender {
    // Mail servers limit connections.
    let limit = 2
    let isPipelined = false

    private struct State {
        /// Nil while there is no mail.
        var loop: TransferLoop?
        /// The number of mails that are being sent, and of those that were begun.
        var unfinished = 0
        var begun = 0
        var isStopped = false
    }

    /// Seconds without mail after which the connection ends.
    static let patience = 10.0

    private let state = Mutex(State())
    private let makeLoop: @Sendable () throws(Problem) -> TransferLoop
    private let sink: Sink
    private let ended = DispatchGroup()

    init(_ sink: Sink, makeLoop: @escaping @Sendable () throws(Problem) -> TransferLoop) {
        self.makeLoop = makeLoop
        self.sink = sink
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .mail(let mail) = message else { return done(.wrongMessage(sink)) }
        let loop: TransferLoop
        do throws(Problem) {
            loop = try beginMail()
        } catch {
            return done(SendResult(DeliveryOutcome(error)))
        }
        // The sender, and with it the loop, exists until the mail is sent.
        loop.start(.mail(mail)) { [self] result in
            endMail()
            if let problem = result.problem { return done(SendResult(DeliveryOutcome(problem.scrubbed(of: sink)))) }
            done(
                SendResult(
                    DeliveryOutcome(smtpReply: result.response.status, text: sink.scrubbed(result.response.text), sink: sink.id)))
        }
    }

    private func beginMail() throws(Problem) -> TransferLoop {
        try state.withLock { state throws(Problem) in
            if state.isStopped { throw .cancelled }
            let loop = if let loop = state.loop { loop } else { try makeLoop() }
            if state.loop == nil {
                state.loop = loop
                ended.enter()
                _ = WorkThreads("picket mail sink") { [ended] in
                    loop.run()
                    ended.leave()
                }
            }
            state.unfinished += 1
            state.begun += 1
            return loop
        }
    }

    private func endMail() {
        let begun = state.withLock { state -> Int? in
            state.unfinished -= 1
            return state.unfinished == 0 ? state.begun : nil
        }
        guard let begun else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            let loop = self?.state.withLock { state in
                state.unfinished == 0 && state.begun == begun ? state.loop.take() : nil
            }
            loop?.stop()
        }
    }

    /// Whether the sender has a thread and a connection, or begins to.
    var isActive: Bool { state.withLock { $0.loop != nil } }

    deinit { state.withLock { $0.loop }?.stop() }

    func stop() {
        let loop = state.withLock { state in
            state.isStopped = true
            return state.loop
        }
        loop?.stop()
        ended.wait()
    }
}
