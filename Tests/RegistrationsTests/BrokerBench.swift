import Foundation
import Model
import Observability
import Synchronization
import TestSupport

@testable import Core
@testable import History
@testable import Registrations
@testable import Service

/// A broker, and a writer with an intake from that broker, in its own directory. A test sets the clock.
final class BrokerBench {
    struct TimedOut: Error {}

    /// The reports of the intake and the writer, for a test that waits for them.
    private final class News: Sendable {
        let seen = Mutex<[MQTTState]>([])
        let condition = NSCondition()

        func recordState(_ state: MQTTState) {
            seen.withLock { if $0.last != state { $0.append(state) } }
            signalPositions()
        }

        func signalPositions() { condition.withLock { condition.broadcast() } }

        func wait(_ isDone: ([MQTTState]) throws -> Bool) throws {
            let end = Date.now + Watchdog.seconds
            try condition.withLock {
                while try !isDone(seen.withLock { $0 }) { if !condition.wait(until: end) { throw TimedOut() } }
            }
        }
    }

    let broker: MQTTBroker
    let writer: Writer
    private(set) var intake: MQTTIntake
    let metrics: Metrics
    let clock = TestClock()
    let phones = OwnTracksPhones(patience: 600)
    /// The errno with which fdatasync(2) fails; 0 for success.
    let diskFailure: Failure
    private let directory: TemporaryDirectory
    private let news = News()
    private var markers = 0

    final class Failure: Sendable {
        let code = Atomic<Int32>(0)
    }

    /// - Parameter clocks: The clocks of the machine that the writer runs on; nil for `clock`.
    init(
        _ options: MQTTBroker.Options = MQTTBroker.Options(), user: String? = nil, port: Int? = nil,
        clocks: (any MachineClocks)? = nil
    ) throws {
        directory = try TemporaryDirectory()
        broker = try MQTTBroker(port: port, options)
        let (failure, news) = (Failure(), news)
        diskFailure = failure
        metrics = Metrics(version: "test", startedAt: clock.now())
        var observer = Writer.Observer()
        observer.group = { _ in news.signalPositions() }
        let writerClock: any WallClock = if let clocks { ServiceClock(clocks) } else { clock }
        writer = try Writer(
            DataDirectory(path: directory.path + "/data"), purpose: "test", clock: writerClock, observer: observer
        ) {
            errno = failure.code.load(ordering: .relaxed)
            return errno == 0 ? fdatasync($0) : -1
        }
        intake = try Self.intake(broker.url(user: user), writer, clock, metrics, phones, news)
        begin()
    }

    private func begin() {
        phones.use { [weak intake] message, completion in
            if let intake { intake.publish(message, completion) } else { completion(false) }
        }
        intake.start()
    }

    deinit {
        intake.stop()
        writer.stop()
    }

    private static func intake(
        _ url: String, _ writer: Writer, _ clock: TestClock, _ metrics: Metrics,
        _ phones: OwnTracksPhones, _ news: News
    ) throws -> MQTTIntake {
        MQTTIntake(
            .init(broker: try BrokerAddress(url)), clientID: "pickettest", writer: writer, clock: clock, metrics: metrics,
            log: Log(level: .error), phones: phones, random: SeededRandom(seed: 1)
        ) { news.recordState($0) }
    }

    /// Ends the intake and starts another one, like a restarted service.
    func restartIntake() throws {
        intake = try Self.intake(broker.url, writer, clock, metrics, phones, news)
        begin()
    }

    /// The reported states, without repeats.
    var states: [MQTTState] { news.seen.withLock { $0 } }

    func wait(for state: MQTTState) throws { try news.wait { $0.last == state } }

    /// Waits until a condition is true, and checks it at each report.
    func wait(until isRight: () -> Bool) throws { try news.wait { _ in isRight() } }

    func perform<Value: Sendable>(_ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Value) async throws -> Value {
        try await writer.perform(body)
    }

    /// Moves the clock, and lets the intake connect if an attempt is due.
    func advance(by seconds: Double) {
        clock.set(clock.now() + seconds)
        intake.retryIfDue()
    }

    /// Waits until all messages published before are handled. Messages are handled in order, so another one is published and awaited.
    func waitUntilHandled(_ phone: MQTTPhone) throws {
        markers += 1
        let time = Int(clock.now().seconds) - 100_000 + markers
        try phone.publish("owntracks/marker/\(markers)", #"{"_type":"location","lat":1,"lon":1,"tst":\#(time)}"#)
        let store = DataDirectory(path: directory.path + "/data")
        let name = "marker/\(markers)"
        try news.wait { _ in
            let reader = try ServiceReader(store, clock: clock)
            return try reader.hasDevice(id: name)
        }
        // Readers see a commit before the intake is notified, so this waits for a later entry of the writer.
        let done = DispatchSemaphore(value: 0)
        if writer.submit({ _ in }, { _ in done.signal() }) { done.wait() }
    }

    /// The latitudes of a device's positions, in the order of arrival.
    func latitudes(of device: String) async throws -> [Double] {
        try await perform { service throws(Problem) in
            var found: [Double] = []
            guard let stored = try service.store.device(id: device) else { return found }
            try service.store.forEachFix(service.store.fixNumbers(of: stored.key)) { fix, _ in
                found.append(fix.fix.coordinate.latitude)
            }
            return found
        }
    }

    /// The standing problem of the broker.
    func problem() async throws -> JSONValue? {
        try await perform { service throws(Problem) in
            let problem = try service.problems(withDismissed: true, after: nil, limit: 100).items.first { $0.source == "mqtt" }
            return problem.map { service.json($0, in: .english) }
        }
    }
}
