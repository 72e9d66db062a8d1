import Core
import Delivery
import Ingest
import MQTT
import Model
import Observability
import Senders
import Service
import Settings
import Synchronization

/// Receives what OwnTracks apps publish on an MQTT broker, and reconnects when the connection is lost.
///
/// A message is acknowledged when its content is on disk. While the store cannot be written, nothing is acknowledged: the connection ends,
/// and the broker keeps messages of QoS 1 and 2 for the next connection, as it does while the service is not running. Messages of QoS 0 are
/// lost in that time.
///
/// A retained message was published before the connection, so only a position in it that is news is taken. All methods can be called from any thread.
final class MQTTIntake: Sendable {
    private struct State {
        var options: Settings.MQTTBroker
        var peer: PeerConnection
        var connection: MQTTConnection?
        /// When the broker accepted the connection; nil while there is no connection.
        var upSince: Instant?
        var isStopped = false
        /// The number of the current connection. Callbacks of earlier connections are ignored.
        var number = 0
        var random: any RandomNumberGenerator & Sendable

        /// The state for people and metrics. Before the broker's first answer the state is `connecting`.
        var name: MQTTState {
            switch peer.status.state.name {
            case .connected: upSince == nil ? .connecting : .connected
            case .reconnecting: .reconnecting
            case .degraded: .degraded
            case .paused: .paused
            }
        }
    }

    private let state: Mutex<State>
    private let clientID: String
    private let writer: Writer
    private let clock: any WallClock
    private let metrics: Metrics
    private let log: Log
    private let phones: OwnTracksPhones
    private let changed: @Sendable (MQTTState) -> Void

    /// Seconds for which the broker keeps messages while no client is connected: one week.
    private static let sessionExpiry: UInt32 = 7 * 86_400

    /// - Parameters:
    /// - clientID: The client id, which is the same after a restart: `Queries.mqttClientID()`.
    ///   - phones: Is informed about each device that sent something.
    ///   - changed: Called with the state whenever it may have changed.
    init(
        _ options: Settings.MQTTBroker, clientID: String, writer: Writer, clock: any WallClock, metrics: Metrics, log: Log,
        phones: OwnTracksPhones,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        changed: @escaping @Sendable (MQTTState) -> Void
    ) {
        state = Mutex(State(options: options, peer: PeerConnection(at: clock.now()), random: random))
        self.clientID = clientID
        self.writer = writer
        self.clock = clock
        self.metrics = metrics
        self.log = log
        self.phones = phones
        self.changed = changed
    }

    // MARK: - Control

    /// Starts to connect.
    func start() { connect() }

    /// Connects if the time for another attempt has come. Must be called every second.
    func retryIfDue() {
        let now = clock.now()
        perform(state.withLock { $0.peer.timerFired(at: now) })
    }

    /// Handles the return of the machine's network: retries the connection immediately if it was waiting.
    func networkReturned() {
        let now = clock.now()
        let actions = state.withLock { $0.peer.networkReturned(at: now) }
        // The early retry is not a failure, so it is not recorded.
        perform(actions.filter { if case .announce = $0 { false } else { true } })
        announceState()
    }

    /// Reconnects if the options have changed, or if the connection was paused after a rejection.
    func reload(_ options: Settings.MQTTBroker) {
        let now = clock.now()
        let (isNew, old): (Bool, MQTTConnection?) = state.withLock { state in
            guard options != state.options || state.peer.status.state.name == .paused else { return (false, nil) }
            state.options = options
            state.peer = PeerConnection(at: now)
            // Callbacks of the old connection are ignored from here on.
            state.number += 1
            state.upSince = nil
            return (true, state.connection.take())
        }
        guard isNew else { return }
        old?.close()
        old?.waitUntilEnded()
        connect()
    }

    /// Publishes a message for a phone. `completion` receives whether the broker has accepted it.
    func publish(_ message: MQTTMessage, _ completion: @escaping @Sendable (Bool) -> Void) {
        let connection = state.withLock { $0.connection }
        let isTaken = connection?.publish(message) { result in
            if case .success = result { completion(true) } else { completion(false) }
        }
        if isTaken != true { completion(false) }
    }

    /// Ends the connection and does not reconnect. Messages that have arrived are still processed.
    func stop() {
        let connection = state.withLock { state in
            state.isStopped = true
            return state.connection.take()
        }
        connection?.close()
        connection?.waitUntilEnded()
    }

    /// The state for people.
    var status: BrokerStatus {
        let (peer, name, upSince, broker) = state.withLock { ($0.peer.status, $0.name, $0.upSince, $0.options.broker) }
        var connection = peer
        connection.since = upSince ?? peer.since
        connection.problem = Self.problem(peer, broker)
        return BrokerStatus(broker: broker, state: name, connection: connection)
    }

    // MARK: - The connection

    private func connect() {
        let now = clock.now()
        let begun: (attempt: PeerConnection.Attempt, number: Int, options: Settings.MQTTBroker)? = state.withLock { state in
            guard !state.isStopped, let attempt = state.peer.begin(at: now) else { return nil }
            state.number += 1
            return (attempt, state.number, state.options)
        }
        guard let begun else { return }
        announceState()
        var options = MQTTOptions(begun.options.broker)
        options.authorities = begun.options.authorities
        options.clientID = clientID
        options.sessionExpiry = Self.sessionExpiry
        options.subscriptions = OwnTracksTopic.filters
        var handlers = MQTTConnection.Handlers()
        handlers.connected = { [weak self] _ in self?.connected(begun.attempt, begun.number) }
        let reader = MessageReader(writer: writer, metrics: metrics, log: log, phones: phones)
        // The reason why messages could not be stored, which ends the connection.
        let failure = Mutex<Problem?>(nil)
        handlers.received = { messages in
            let problem = reader.process(messages)
            if let problem { failure.withLock { $0 = problem } }
            return problem == nil
        }
        handlers.ended = { [weak self] error in
            guard let error else { return }
            self?.connectionLost(failure.withLock { $0 } ?? Problem(error), begun.attempt, begun.number)
        }
        let connection = MQTTConnection(options, handlers)
        let isWanted = state.withLock { state in
            guard !state.isStopped, state.number == begun.number else { return false }
            state.connection = connection
            return true
        }
        if !isWanted { connection.close() }
    }

    private func connected(_ attempt: PeerConnection.Attempt, _ number: Int) {
        let now = clock.now()
        let broker = state.withLock { state -> BrokerAddress? in
            guard state.number == number, !state.isStopped else { return nil }
            state.upSince = now
            // The announcement is made below, including for the first connection.
            _ = state.peer.record(.delivered, of: attempt, at: now, using: &state.random)
            return state.options.broker
        }
        guard let broker else { return }
        log.info("mqtt", "The broker is connected.", fields: [.text("broker", "\(broker)")])
        performOnWriter { service throws(Problem) in try service.resolve(source: ProblemSource.broker) }
        announceState()
    }

    private func connectionLost(_ problem: Problem, _ attempt: PeerConnection.Attempt, _ number: Int) {
        let now = clock.now()
        let actions = state.withLock { state -> [PeerConnection.Action] in
            guard state.number == number, !state.isStopped else { return [] }
            state.upSince = nil
            return state.peer.record(Self.outcome(problem), of: attempt, at: now, using: &state.random)
        }
        perform(actions)
    }

    /// The outcome that a connection problem stands for. Permanent failures are retried as well, because the broker may accept the
    /// connection later.
    private static func outcome(_ problem: Problem) -> DeliveryOutcome {
        let outcome = DeliveryOutcome(problem)
        if case .reject = outcome { return .retry(problem, after: nil) }
        return outcome
    }

    private func perform(_ actions: [PeerConnection.Action]) {
        for action in actions {
            switch action {
            case .attempt: connect()
            case .announce(let status): reportLoss(status)
            case .wait, .wakeOthers: break
            }
        }
    }

    /// Logs and records that the connection is lost.
    private func reportLoss(_ status: ConnectionStatus) {
        // The state is announced last, so that the problem is already being recorded.
        defer { announceState() }
        let broker = state.withLock { $0.options.broker }
        guard let problem = Self.problem(status, broker) else { return }
        var fields: [LogField] = [.text("broker", "\(broker)"), .text("state", status.state.name.rawValue)]
        if let attempt = status.state.attempt { fields.append(.number("attempt", attempt)) }
        log.logProblem(problem, "mqtt", level: .warning, fields: fields)
        performOnWriter { service throws(Problem) in try service.record(problem, source: ProblemSource.broker) }
    }

    /// The problem of a connection status. If retrying is all that is needed, its message says that this is done automatically; otherwise
    /// the problem says what the person has to do.
    private static func problem(_ status: ConnectionStatus, _ broker: BrokerAddress) -> Problem? {
        guard let problem = status.problem else { return nil }
        switch problem {
        case .noConnection, .timeout, .serverError, .rateLimited:
            return .intakeInterrupted(
                peer: "\(broker)", details: problem.cause)
        default: return problem
        }
    }

    /// Performs a change on the writer. A store that cannot be written is reported separately.
    private func performOnWriter(_ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Void) {
        let log = log
        _ = writer.submit(body) { result in
            if case .failure(let problem) = result { log.logProblem(problem, "mqtt") }
        }
    }

    private func announceState() { changed(state.withLock { $0.name }) }
}
