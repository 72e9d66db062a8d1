import Delivery
import Foundation
import Geodesy
import Model
import Places
import Presence
import Senders
import Store
import Synchronization
import TestSupport

@testable import Core
@testable import Notifications
@testable import Service

/// A writer and a delivery, as in a running service, in its own directory. A test sets the clock.
final class DeliveryBench {
    let directory: TemporaryDirectory
    let clock: TestClock
    private(set) var inbox = DeliveryInbox()
    private(set) var writer: Writer
    private(set) var readers: Readers
    private(set) var delivery: DeliveryRunner
    private(set) var transfers: TransferLoop.Options
    private let isSynchronized: (@Sendable () -> Bool)?
    /// The states of sink connections, in order.
    let changes = Log<(sink: String, status: ConnectionStatus)>()
    /// The problems of the delivery with its own work, in order.
    let failures = Log<Problem>()
    /// Gets an entry whenever the statuses of sinks are published, and for other reports.
    private let news = Log<Void>()
    var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    /// Entries that other threads add and a test reads.
    final class Log<Entry: Sendable>: Sendable {
        private let entries = Mutex<[Entry]>([])
        private let news = DispatchSemaphore(value: 0)
        var all: [Entry] { entries.withLock { $0 } }

        func add(_ entry: Entry) {
            entries.withLock { $0.append(entry) }
            news.signal()
        }

        /// Waits until a condition is true, and checks it at each entry. Returns false when the time is over.
        func wait(seconds: Double = Watchdog.seconds, until isRight: () throws -> Bool) rethrows -> Bool {
            let end = DispatchTime.now() + seconds
            while try !isRight() { if news.wait(timeout: end) == .timedOut { return try isRight() } }
            return true
        }
    }

    static let start = Instant("2026-05-01T10:00:00Z")!
    private var time = start

    /// - Parameter isSynchronized: Whether the kernel's clock is synchronized; nil for a clock that is always right.
    init(_ transfers: TransferLoop.Options = .patient, isSynchronized: (@Sendable () -> Bool)? = nil) throws {
        directory = try TemporaryDirectory()
        clock = TestClock(time: Self.start)
        self.transfers = transfers
        self.isSynchronized = isSynchronized
        (writer, readers, delivery) = try Self.begin(
            DataDirectory(path: directory.path + "/data"), inbox, Self.serviceClock(clock, isSynchronized), transfers, changes,
            failures, news)
        _ = try edit { service throws(Problem) in
            try service.apply([
                .save(Geofence(id: "home", name: "Home", shape: .circle(Circle(center: Self.home, radius: 100))))
            ])
        }
    }

    static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    /// The clocks of a machine that a test sets.
    private struct SetClocks: MachineClocks {
        let clock: TestClock
        let synchronized: @Sendable () -> Bool

        func wallTime() -> Instant { clock.now() }
        func uptime() -> Int64 { clock.now().milliseconds }
        func isSynchronized() -> Bool { synchronized() }
        func boot() -> String { "" }
    }

    private static func serviceClock(_ clock: TestClock, _ isSynchronized: (@Sendable () -> Bool)?) -> any WallClock {
        guard let isSynchronized else { return clock }
        return ServiceClock(SetClocks(clock: clock, synchronized: isSynchronized))
    }

    private static func begin(
        _ data: DataDirectory, _ inbox: DeliveryInbox, _ clock: any WallClock, _ transfers: TransferLoop.Options,
        _ changes: Log<(sink: String, status: ConnectionStatus)>, _ failures: Log<Problem>, _ news: Log<Void>
    ) throws -> (Writer, Readers, DeliveryRunner) {
        var observer = Writer.Observer()
        observer.events = { events in if let last = events.last { inbox.eventsCommitted(upTo: last.sequence) } }
        observer.positionsSaved = { _ in inbox.positionsCommitted() }
        observer.removed = { inbox.dataRemoved($0) }
        observer.notices = { _ in news.add(()) }
        let writer = try Writer(data, purpose: "test", durability: .normal, clock: clock, observer: observer)
        let readers = Readers(data, clock: clock) { writer.writeDerivedData($0) }
        let newest = try ServiceReader(data).newestSequence()
        var deliveryObserver = DeliveryObserver()
        deliveryObserver.changed = { changes.add(($0.id, $1)) }
        deliveryObserver.problem = { failures.add($0) }
        deliveryObserver.shown = { news.add(()) }
        let delivery = DeliveryRunner(
            data, inbox: inbox, writer: writer, readers: readers, senders: try Senders(transfers, now: { clock.now() }),
            newest: newest, clock: clock, observer: deliveryObserver)
        return (writer, readers, delivery)
    }

    deinit { stop() }

    private var isStopped = false

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        delivery.stop()
        readers.stop()
        writer.stop()
    }

    /// Restarts the writer and the delivery, like a restart of the service.
    func restart() throws {
        stop()
        inbox = DeliveryInbox()
        (writer, readers, delivery) = try Self.begin(
            data, inbox, Self.serviceClock(clock, isSynchronized), transfers, changes, failures, news)
        isStopped = false
    }

    /// Changes the store, like a request.
    @discardableResult
    func edit<Result: Sendable>(_ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result) throws -> Result {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Swift.Result<Result, Problem>>(.failure(.cancelled))
        _ = writer.submit(body) { result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return try outcome.withLock { $0 }.get()
    }

    /// Creates a sink.
    @discardableResult
    func add(_ json: JSONValue) throws -> String {
        let id = try edit { service throws(Problem) in
            try service.createSink(json, by: .init(isLocal: true, allowsPrivate: true)).sink.id
        }
        inbox.sinksChanged()
        return id
    }

    @discardableResult
    func webhook(_ endpoint: ScriptedEndpoint, _ more: JSONValue = [:], path: String = "/hook") throws -> String {
        let plain: JSONValue = ["kind": "webhook", "url": .string(endpoint.url + path)]
        return try add(plain.merged(with: more))
    }

    /// Resumes a sink.
    func resume(_ id: String, skipping: Bool = false) throws {
        _ = try edit { service throws(Problem) in try service.resumeSink(id: id, skipping: skipping).sink.id }
        inbox.sinksChanged(resumed: id)
    }

    /// Makes devices enter and leave the geofence `home` `count` times: two events each time for each device, by time.
    func visits(_ count: Int, devices: [String] = ["mia"]) throws {
        var batch = FixBatch()
        let numbers = devices.map { batch.number(ofDevice: $0) }
        for _ in 0..<count {
            for north in [500.0, 0, 500] {
                time = time + 10
                for number in numbers {
                    let place = Coordinate(latitude: Self.home.latitude + north / 111_000, longitude: Self.home.longitude)
                    batch.rows.append(.init(fix: Fix(time: time, coordinate: place), device: number, line: 0))
                }
            }
        }
        clock.set(max(clock.now(), time))
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<IntakeResult, Problem>>(.failure(.cancelled))
        _ = writer.submit(batch, policy: .exact) { result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        _ = try outcome.withLock { $0 }.get()
    }

    /// Makes `mia` enter ten seconds after the start, and still be there `seconds` later.
    func stay(_ seconds: Double) throws {
        for (time, north) in [(0, 500.0), (10, 0), (10 + seconds, 0)] {
            var batch = FixBatch()
            let place = Coordinate(latitude: Self.home.latitude + north / 111_000, longitude: Self.home.longitude)
            batch.rows.append(
                .init(fix: Fix(time: Self.start + time, coordinate: place), device: batch.number(ofDevice: "mia"), line: 0))
            clock.set(max(clock.now(), Self.start + time))
            let position = batch
            try edit { service throws(Problem) in _ = try service.accept(position, policy: .exact) }
        }
    }

    /// Stores a late position of `mia`, outside and `seconds` after the start, and replays what it changes.
    func lateFix(after seconds: Double) throws {
        let place = Coordinate(latitude: Self.home.latitude + 500 / 111_000, longitude: Self.home.longitude)
        var batch = FixBatch()
        let number = batch.number(ofDevice: "mia")
        batch.rows.append(.init(fix: Fix(time: Self.start + seconds, coordinate: place), device: number, line: 0))
        let late = batch
        try edit { service throws(Problem) in
            _ = try service.accept(late)
            _ = try service.replayLate(all: true) { _ in }
        }
    }

    /// All recorded events, in order.
    func events() throws -> [Event] {
        var events: [Event] = []
        try ServiceReader(data).forEachEvent(.init()) { events.append($0) }
        return events
    }

    func eventIDs() throws -> [String] { try events().map(\.id) }

    func stored(_ id: String) throws -> Queries.StoredSink { try ServiceReader(data).sink(id: id) }

    /// The standing problems, by source.
    func problems() throws -> [String: Queries.OpenProblem] {
        let page = try ServiceReader(data).problems(withDismissed: true, after: nil, limit: 100)
        return Dictionary(uniqueKeysWithValues: page.items.map { ($0.source, $0) })
    }

    /// Waits for an open problem of a source, and returns its code; nil when there is none in time.
    func waitForProblem(_ source: String) throws -> String? {
        var code: String?
        _ = try news.wait {
            code = try problems()[source]?.code
            return code != nil
        }
        return code
    }

    /// Waits until a source has no open problem. Returns false when the time is over.
    func waitForResolution(_ source: String) throws -> Bool { try news.wait { try problems()[source] == nil } }

    /// Moves the clock forward.
    func advance(_ seconds: Double) {
        clock.set(clock.now() + seconds)
        inbox.clockMoved()
    }

    /// Waits until the status of a sink satisfies a condition. Returns false when the time is over.
    func wait(_ id: String, seconds: Double = Watchdog.seconds, until isRight: (SinkStatus) -> Bool) -> Bool {
        news.wait(seconds: seconds) { delivery.statuses[id].map(isRight) ?? false }
    }
}

/// A sender that sends nothing.
struct IdleSender: SinkSender {
    let limit = 2
    let isPipelined = false

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {}
    func stop() {}
}

extension SinkDelivery {
    /// The delivery to a sink, which sends nothing.
    convenience init(idle stored: Queries.StoredSink, at now: Instant) throws(Problem) {
        try self.init(stored, zones: TimeZones(), incarnation: 1, at: now) { _ in (sender: IdleSender(), number: 1) }
    }
}

extension TransferLoop.Options {
    /// Options with timeouts that no answer exceeds.
    static var patient: Self {
        var options = Self()
        options.connectTimeout = Watchdog.seconds
        options.timeout = Watchdog.seconds
        return options
    }
}
