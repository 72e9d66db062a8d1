import CCurl
import Delivery
import Model
import Workers

/// Creates senders for sinks. One thread serves everything that goes over HTTP and mail; senders for brokers, files and programs have their
/// own.
package final class Senders: Sendable {
    private let loop: TransferLoop
    private let thread: WorkThreads
    private let now: @Sendable () -> Instant
    private let allowsPrivate: Bool

    /// - Parameter now: Returns the time for signatures.
    package init(_ options: TransferLoop.Options = .init(), now: @escaping @Sendable () -> Instant) throws(Problem) {
        let loop = try TransferLoop(options)
        self.loop = loop
        self.now = now
        allowsPrivate = options.allowsPrivate
        thread = WorkThreads("picket transfers") { loop.run() }
    }

    /// Creates the sender of a sink.
    ///
    /// - Parameter heard: Called with news of the sink's peer, on any thread.
    package func sender(for sink: Sink, onNews heard: @escaping @Sendable (PeerNews) -> Void = { _ in }) -> any SinkSender {
        switch sink.target {
        case .web, .positions: WebSender(sink, loop: loop, now: now)
        case .mail: MailSender(sink, loop: loop)
        case .mqtt: MQTTSender(sink, allowsPrivate: allowsPrivate, onNews: heard)
        case .file: FileSender(sink)
        case .command: CommandSender(sink)
        }
    }

    /// Cancels running transfers, and stops the thread.
    package func stop() {
        loop.stop()
        thread.join()
    }
}

extension Senders {
    /// The version of the linked libcurl and of the libraries that it uses.
    package static var libraryVersion: String { unsafe String(cString: curl_version()) }
}
