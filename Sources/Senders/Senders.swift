import CCurl
import Delivery
import Model
import Workers

/// Creates senders for sinks. One thread serves everything that goes over HTTP. Other senders use threads only while they have work, except
/// for the connection to a broker.
package final class Senders: Sendable {
    private let loop: TransferLoop
    private let options: TransferLoop.Options
    private let resolver: NameResolver
    private let thread: WorkThreads
    private let now: @Sendable () -> Instant
    private let commands = WorkPool("picket command sink", maximum: Senders.maximumThreads)
    private let files = WorkPool("picket file sink", maximum: Senders.maximumThreads)

    /// The maximum number of threads of all commands, and of all files.
    static let maximumThreads = 256

    /// The number of threads of commands and files.
    var threadCount: Int { commands.threadCount + files.threadCount }

    /// - Parameter now: Returns the time for signatures.
    package init(
        _ options: TransferLoop.Options = .init(), resolver: NameResolver = NameResolver(),
        now: @escaping @Sendable () -> Instant
    ) throws(Problem) {
        let loop = try TransferLoop(options, resolver: resolver)
        self.loop = loop
        self.options = options
        self.resolver = resolver
        self.now = now
        thread = WorkThreads("picket transfers") { loop.run() }
    }

    /// Creates the sender of a sink.
    ///
    /// - Parameter heard: Called with news of the sink's peer, on any thread.
    package func sender(for sink: Sink, onNews heard: @escaping @Sendable (PeerNews) -> Void = { _ in }) -> any SinkSender {
        switch sink.target.kind.transport {
        case .web: WebSender(sink, loop: loop, now: now)
        case .mail:
            MailSender(sink) { [options, resolver] () throws(Problem) in
                try TransferLoop(options, resolver: resolver)
            }
        case .mqtt: MQTTSender(sink, resolver: resolver, allowsPrivate: options.allowsPrivate, onNews: heard)
        case .file: FileSender(sink, pool: files)
        case .command: CommandSender(sink, pool: commands)
        }
    }

    /// Cancels running transfers, and stops the thread.
    package func stop() {
        resolver.stop()
        loop.stop()
        thread.join()
    }
}

extension Senders {
    /// The version of the linked libcurl and of the libraries that it uses.
    package static var libraryVersion: String { unsafe String(cString: curl_version()) }
}
