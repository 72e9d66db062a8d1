import CCurl
import Delivery
import Model
import Workers

/// What sends: one thread for everything that goes over the network, and one or more for each sink on this machine.
public final class Senders: Sendable {
    private let loop: TransferLoop
    private let thread: WorkThreads
    private let now: @Sendable () -> Instant
    private let allowsPrivate: Bool

    /// - Parameter now: The time that signatures tell.
    public init(_ options: TransferLoop.Options = .init(), now: @escaping @Sendable () -> Instant) throws(Problem) {
        let loop = try TransferLoop(options)
        self.loop = loop
        self.now = now
        allowsPrivate = options.allowsPrivate
        thread = WorkThreads("picket transfers") { loop.run() }
    }

    /// What sends the messages of a sink.
    ///
    /// - Parameter heard: Is told of its peer, on any thread.
    public func sender(for sink: Sink, heard: @escaping @Sendable (PeerNews) -> Void = { _ in }) -> any SinkSender {
        switch sink.target {
        case .web, .positions: WebSender(sink, loop: loop, now: now)
        case .mail: MailSender(sink, loop: loop)
        case .mqtt: MQTTSender(sink, allowsPrivate: allowsPrivate, heard: heard)
        case .file: FileSender(sink)
        case .command: CommandSender(sink)
        }
    }

    /// Gives up what is on its way, and ends.
    public func stop() {
        loop.stop()
        thread.join()
    }
}

extension Senders {
    /// The version of libcurl as it is linked, with those of the libraries that it uses.
    public static var libraryVersion: String { unsafe String(cString: curl_version()) }
}
