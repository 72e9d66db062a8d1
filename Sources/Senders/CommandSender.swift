import Delivery
import Model
import Synchronization
import Workers

/// Runs a program for each message, without a shell. The program gets its arguments unchanged, and the event as JSON on standard input.
///
/// The exit status is the outcome: 0 means delivered; 65 (`EX_DATAERR` of sysexits.h) means that the program will never accept this event.
/// 77 and 78 (`EX_NOPERM`, `EX_CONFIG`), 126, 127, and a program that cannot be started pause the sink. Every other status is retried.
final class CommandSender: SinkSender {
    let limit = 4
    let isPipelined = false
    private typealias Work = (arguments: [String], input: String, done: @Sendable (SendResult) -> Void)

    private let queue: PooledQueue<Work>
    private let sink: Sink
    private let ending: StopFlag

    /// Makes the threads end running programs.
    final class StopFlag: Sendable { let isNow = Atomic(false) }

    /// Seconds after which a program is killed.
    static let timeLimit = 30.0

    init(_ sink: Sink, pool: WorkPool) {
        self.sink = sink
        let ending = StopFlag()
        self.ending = ending
        queue = PooledQueue(pool, limit: limit) { works in
            for work in works {
                if ending.isNow.load(ordering: .relaxed) {
                    work.done(SendResult(DeliveryOutcome(.cancelled)))
                    continue
                }
                let run = ChildProcess.run(work.arguments, input: work.input, seconds: CommandSender.timeLimit) {
                    ending.isNow.load(ordering: .relaxed)
                }
                work.done(SendResult(CommandSender.outcome(run, sink)))
            }
        }
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .run(let arguments, let input) = message else { return done(.wrongMessage(sink)) }
        if !queue.add((arguments, input, done)) { done(SendResult(DeliveryOutcome(.cancelled))) }
    }

    func stop() {
        ending.isNow.store(true, ordering: .relaxed)
        queue.close()
        queue.join()
    }

    private static func outcome(_ end: ChildProcess.ExitResult, _ sink: Sink) -> DeliveryOutcome {
        switch end {
        case .exited(0, _): .delivered
        case .exited(65, let output):
            .reject(.eventRejected(sink: sink.id, status: 65, details: .verbatim(sink.scrubbed(output))))
        case .exited(let status, let output) where [77, 78, 126, 127].contains(status):
            .pause(.sinkRejected(sink: sink.id, status: Int(status), details: .verbatim(sink.scrubbed(output))))
        case .exited(let status, let output):
            .retry(
                .sinkUnreachable(sink: sink.id, status: Int(status), details: .verbatim(sink.scrubbed(output))), after: nil)
        case .killed(let signal): .retry(.sinkUnreachable(sink: sink.id, details: .endedBySignal(signal)), after: nil)
        case .tookTooLong: .retry(.sinkUnreachable(sink: sink.id, details: .endedAfter(timeLimit)), after: nil)
        case .stopped: DeliveryOutcome(.cancelled)
        case .notStarted(let reason): .pause(.sinkRejected(sink: sink.id, status: 127, details: .verbatim(reason)))
        }
    }
}
