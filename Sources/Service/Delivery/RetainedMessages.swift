import Delivery
import Model
import Senders
import Synchronization

/// The retained messages for Home Assistant at the broker of one sink, and which of them are being sent.
struct RetainedMessages {
    let discovery: HomeAssistantDiscovery
    private var mirror: RetainedMirror
    /// The messages that are being sent; empty if there are none.
    private var underWay: [OutgoingPublication] = []
    /// The input of the configurations: the devices without their states, and the language.
    private var announced: (devices: [HomeAssistantDiscovery.Device], language: Language)?
    private var configurations: [String: String] = [:]
    /// Why the broker permanently rejects the messages; nil if it does not. Nothing is sent again until the messages change.
    /// Why the sink announces nothing: there would be too many entities.
    private var refusal: Problem?
    private var limitProblem: Problem?
    /// The last state that was recorded in the problem journal: nil for none yet, otherwise the problem or that there is none.
    private var recordedState: Problem??

    /// Nil if the sink announces nothing to Home Assistant.
    init?(of sink: Sink) {
        guard case .mqtt(let target) = sink.target, let discovery = target.discovery else { return nil }
        self.discovery = discovery
        mirror = RetainedMirror(discovery)
    }

    /// Updates the messages with the current devices and geofences.
    mutating func update(_ view: HomeAssistantView, language: Language) {
        var devices: [HomeAssistantDiscovery.Device] = []
        switch view {
        case .tooMuch(let problem): limitProblem = problem
        case .devices(let found): (devices, limitProblem) = (found, nil)
        }
        let entities = devices.map { device in
            var entity = device
            (entity.fix, entity.inside) = (nil, nil)
            entity.registration = device.registration.map { _ in .init(isHealthy: nil, summary: nil) }
            return entity
        }
        if announced.map({ $0.devices != entities || $0.language != language }) ?? true {
            announced = (entities, language)
            configurations = discovery.configurations(devices, language: language)
        }
        let states = limitProblem == nil ? discovery.states(devices, language: language) : [:]
        if mirror.setWanted(configurations: configurations, states: states) { refusal = nil }
    }

    /// Records a message that the broker has retained.
    mutating func recordRetained(_ topic: String, _ payload: String) { mirror.recordKept(topic, payload) }

    /// Handles the end of a connection to the broker. The outcome of messages that are being sent is reported separately.
    mutating func connectionEnded() {
        mirror.connectionEnded()
        refusal = nil
    }

    /// Starts again with another sender.
    mutating func restart() {
        connectionEnded()
        underWay = []
    }

    // MARK: - Sending

    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether there is something to send, and nothing is being sent.
    var hasNext: Bool { mutating get { underWay.isEmpty && refusal == nil && !mirror.next().isEmpty } }

    /// Starts to send the next messages, and returns them.
    mutating func begin() -> [OutgoingPublication] {
        underWay = mirror.next()
        return underWay
    }

    /// Handles the outcome of the messages that were sent.
    mutating func end(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: mirror.acknowledged(underWay)
        case .park(let problem): refusal = problem
        case .retry, .pause: break
        }
        underWay = []
    }

    /// Removes all messages from the broker, then calls `done`.
    func withdraw(by sender: any SinkSender, _ done: @escaping @Sendable () -> Void) {
        var mirror = mirror
        mirror.withdraw()
        Self.removeNext(PendingRemoval(mirror), sender, done)
    }

    private static func removeNext(_ mirror: PendingRemoval, _ sender: any SinkSender, _ done: @escaping @Sendable () -> Void) {
        let batch = mirror.left.withLock { $0.next() }
        if batch.isEmpty { return done() }
        sender.send(.publish(batch)) { result in
            // If the broker is not reachable, the messages remain there.
            guard result.outcome == .delivered else { return done() }
            mirror.left.withLock { $0.acknowledged(batch) }
            removeNext(mirror, sender, done)
        }
    }

    // MARK: - Problems

    /// What has to be recorded in the problem journal: a problem, or that there is none. Nil if the journal is up to date.
    mutating func takeProblemChange() -> Problem?? {
        let problem = limitProblem ?? refusal
        if let recordedState, recordedState == problem { return nil }
        recordedState = .some(problem)
        return .some(problem)
    }

    /// Records that the journal could not be updated.
    mutating func problemChangeFailed() { recordedState = nil }
}

/// The messages that still have to be removed. Used by several threads, one after the other.
private final class PendingRemoval: Sendable {
    let left: Mutex<RetainedMirror>

    init(_ mirror: RetainedMirror) { left = Mutex(mirror) }
}
