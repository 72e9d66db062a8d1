import Foundation
import Model
import Secrets
import Service
import Synchronization

/// The running service: the store's writer and readers behind HTTP.
public final class Server: Sendable {
    /// Where it listens, as `http://127.0.0.1:7575`.
    public let url: String
    private let directory: DataDirectory
    private let clock: any WallClock
    private let writer: Writer
    private let readers: Readers
    private let api: API
    private let socket: ListeningSocket
    private let limits: HTTPDaemon.Limits
    private let front: Mutex<HTTPDaemon>
    private let ticker: WorkThreads
    private let stopping = Stopping()
    private let repairs: Task<Void, Never>
    /// The token by which commands on this machine talk to it.
    private let ownSecret = Secret.token()

    /// How long a stop waits for answers that are on their way, in seconds.
    private static let patience = 10.0

    /// Opens the data directory, and listens.
    ///
    /// - Throws: `Problem.storeBusy` while another process writes to the directory, the problems of opening a store,
    ///   `.validationFailed` for an address that cannot be listened at or that others could reach while no token was made,
    ///   `.tlsFailed` and `.fileFailed` for a certificate.
    public init(_ settings: Settings, clock: any WallClock = SystemClock()) throws(Problem) {
        directory = settings.dataDirectory
        self.clock = clock
        let log = EventLog()
        var observer = Writer.Observer()
        observer.events = { log.publish($0) }
        let tls = try settings.tls.map { tls throws(Problem) in try HTTPDaemon.TLS(tls) }
        socket = try ListeningSocket(host: settings.listen.host, port: settings.listen.port)
        let address = ListenAddress(host: settings.listen.host, port: socket.port)
        url = "\(tls == nil ? "http" : "https")://\(address)"
        writer = try Writer(directory, purpose: "serve", durability: settings.durability, clock: clock, observer: observer)
        readers = Readers(directory, clock: clock)
        let reader = try GeofenceService(reading: directory, clock: clock)
        log.begin(at: try reader.newestSequence())

        var hosts: Set<String> = ["localhost", "127.0.0.1", "::1", Gate.name("\(address)")]
        if let host = settings.publicURL?.components(separatedBy: "://").last { hosts.insert(Gate.name(host)) }
        let list = try reader.accessList()
        if list.isOpen, !settings.listen.isLoopback || settings.publicURL != nil {
            throw .validationFailed(
                field: settings.publicURL == nil ? "listen" : "public-url", value: settings.publicURL ?? "\(settings.listen)",
                reason: "others could reach the service, and nobody has a token yet",
                expected: "a token first, by 'picket token create NAME --role admin', or an address of this machine alone")
        }
        api = API(
            writer: writer, readers: readers, log: log, gate: Gate(list, hosts: hosts, clock: clock), clock: clock,
            ownSecret: ownSecret, maxBody: settings.maxBody)
        api.admit(list)
        limits = HTTPDaemon.Limits(connections: settings.maxConnections)
        let daemon = HTTPDaemon(limits, responder: api)
        try daemon.start(socket, tls: tls)
        front = Mutex(daemon)
        repairs = Self.repair(writer, clock, interval: settings.autoRepairInterval)
        let tick = Tick(api: api, clock: clock)
        let stopping = stopping
        ticker = WorkThreads("picket ticker") { while !stopping.wait(seconds: 1) { tick() } }
        try ServiceFile(url: url, token: ownSecret, process: getpid(), authorities: tls?.certificate).write(to: directory)
    }

    /// Lets the tokens of the store in, and takes up a certificate that has changed. Requests that are on their way go on; streams are
    /// told to come again.
    public func reload(_ settings: Settings) throws(Problem) {
        api.admit(try GeofenceService(reading: directory, clock: clock).accessList())
        guard let files = settings.tls else { return }
        let tls = try HTTPDaemon.TLS(files)
        let daemon = HTTPDaemon(limits, responder: api)
        let old = front.withLock { front in
            defer { front = daemon }
            return front
        }
        old.quiesce()
        try daemon.start(socket, tls: tls)
        api.streams.renew()
        _ = WorkThreads("picket drain") {
            old.drain(seconds: Self.patience)
            old.stop()
        }
    }

    /// Finishes what was accepted, and ends.
    public func stop() {
        ServiceFile.remove(from: directory)
        stopping.stop()
        ticker.join()
        repairs.cancel()
        let daemon = front.withLock { $0 }
        daemon.close()
        api.streams.end()
        api.waiters.end()
        // The writer last: the last to leave brings the log into the file.
        readers.stop()
        writer.stop()
        daemon.drain(seconds: Self.patience)
        daemon.stop()
    }

    private static func repair(_ writer: Writer, _ clock: any WallClock, interval: Double?) -> Task<Void, Never> {
        guard let interval else { return Task {} }
        var pace = RepairSchedule.Pace()
        pace.every = interval
        let repair = AutoRepair(writer, desk: RepairDesk(writer, clock: clock), pace: pace, clock: clock)
        return Task {
            await repair.run(pause: { try await Task.sleep(for: .seconds(1)) }, tell: { _ in })
        }
    }
}

/// What happens each second.
private struct Tick: Sendable {
    let api: API
    let clock: any WallClock
    private let count = Count()

    init(api: API, clock: any WallClock) {
        self.api = api
        self.clock = clock
    }

    private final class Count: Sendable {
        let seconds = Atomic<Int>(0)
        /// Whether the writer has not yet done what it was last asked for.
        let isWaiting = Atomic<Bool>(false)
    }

    func callAsFunction() {
        let second = count.seconds.add(1, ordering: .relaxed).newValue
        api.waiters.tick()
        if second % 15 == 0 { api.streams.heartbeat() }
        // While the store cannot be written, each try takes seconds: those behind it must not add up.
        guard !count.isWaiting.exchange(true, ordering: .relaxed) else { return }
        let now = clock.now()
        let count = count
        let isTaken = api.writer.submit({ service throws(Problem) in try service.fireDeadlines(upTo: now) }) { _ in
            count.isWaiting.store(false, ordering: .relaxed)
        }
        if !isTaken { count.isWaiting.store(false, ordering: .relaxed) }
    }
}

/// Whether it is time to end, for threads that wait.
final class Stopping: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func stop() { semaphore.signal() }

    /// Waits so long. True when it is time to end.
    func wait(seconds: Double) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}

extension HTTPDaemon.TLS {
    /// Reads the files.
    fileprivate init(_ files: Settings.TLS) throws(Problem) {
        func read(_ path: String) throws(Problem) -> String {
            guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
                throw .fileFailed(path: path, reason: "it cannot be read, or is no text in PEM")
            }
            return text
        }
        self.init(certificate: try read(files.certificate), key: try read(files.key))
    }
}
