import Foundation
import Model
import Service
import Synchronization

/// The running service: the store's writer and readers behind HTTP.
public final class Server: Sendable {
    /// How it is run.
    public struct Options: Sendable {
        public var host = "127.0.0.1"
        /// 0 takes a free one.
        public var port = 7575
        public var durability = Durability.full

        public init() {}
    }

    /// Where it listens, as `http://127.0.0.1:7575`.
    public let url: String
    private let writer: Writer
    private let readers: Readers
    private let api: API
    private let daemon: HTTPDaemon
    private let ticker: WorkThreads
    private let stopping: Stopping

    /// Opens the data directory, and listens.
    ///
    /// - Throws: `Problem.storeBusy` while another process writes to the directory, the problems of opening a store,
    ///   `.validationFailed` for an address that cannot be listened at.
    public init(_ directory: DataDirectory, _ options: Options, clock: any WallClock = SystemClock()) throws(Problem) {
        let socket = try ListeningSocket(host: options.host, port: options.port)
        let box = LogBox()
        var observer = Writer.Observer()
        observer.events = { events in box.log.withLock { $0 }?.publish(events) }
        writer = try Writer(directory, purpose: "serve", durability: options.durability, clock: clock, observer: observer)
        readers = Readers(directory, clock: clock)
        let log = EventLog(newest: try GeofenceService(reading: directory).newestSequence())
        box.log.withLock { $0 = log }
        api = API(writer: writer, readers: readers, log: log, desk: RepairDesk(writer, clock: clock))
        daemon = HTTPDaemon(.init(), responder: api)
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        url = "http://\(host):\(socket.port)"
        try daemon.start(socket, tls: nil)
        let stopping = Stopping()
        self.stopping = stopping
        let (api, daemon) = (api, daemon)
        ticker = WorkThreads("picket ticker") {
            var seconds = 0
            while !stopping.wait(seconds: 1) {
                seconds += 1
                _ = daemon.sweep()
                api.waiters.tick()
                if seconds % 15 == 0 { api.streams.heartbeat() }
            }
        }
    }

    /// Finishes what was accepted, and ends.
    public func stop() {
        stopping.stop()
        ticker.join()
        daemon.quiesce()
        api.streams.end()
        api.waiters.end()
        api.errands.end()
        writer.stop()
        readers.stop()
        daemon.stop()
    }
}

/// The log, once there is one: the writer needs it before the store is open.
private final class LogBox: Sendable {
    let log = Mutex<EventLog?>(nil)
}

/// Whether it is time to end, for threads that wait.
final class Stopping: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func stop() { semaphore.signal() }

    /// Waits so long. True when it is time to end.
    func wait(seconds: Double) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}
