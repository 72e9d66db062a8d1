import Delivery
import Model
import Senders
import Synchronization

/// What one sink's broker keeps for Home Assistant, and what of it is on its way.
struct RetainedMessages {
    let discovery: HomeAssistantDiscovery
    private var mirror: RetainedMirror
    /// What is on its way; empty for nothing.
    private var underWay: [OutgoingPublication] = []
    /// What the configurations were made of: the devices without their states, and the language.
    private var announced: (devices: [HomeAssistantDiscovery.Device], language: Language)?
    private var configurations: [String: String] = [:]
    /// Why the broker takes none of it for good; nil while it does. Nothing is sent again before something else is to be sent.
    private var refusal: Problem?
    private var excess: Problem?
    /// What the journal of problems was told last: nothing yet, that there is no problem, or which one.
    private var told: Problem??

    /// Nil for a sink that announces nothing.
    init?(of sink: Sink) {
        guard case .mqtt(let target) = sink.target, let discovery = target.discovery else { return nil }
        self.discovery = discovery
        mirror = RetainedMirror(discovery)
    }

    /// Takes over what there is now.
    mutating func update(_ view: HomeAssistantView, language: Language) {
        var devices: [HomeAssistantDiscovery.Device] = []
        switch view {
        case .tooMuch(let problem): excess = problem
        case .devices(let found): (devices, excess) = (found, nil)
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
        let states = excess == nil ? discovery.states(devices) : [:]
        if mirror.setWanted(configurations: configurations, states: states) { refusal = nil }
    }

    /// Notes a configuration that the broker keeps.
    mutating func noteKept(_ topic: String, _ payload: String) { mirror.noteKept(topic, payload) }

    /// Notes that a connection to the broker has ended. What was on its way is told of by itself.
    mutating func connectionEnded() {
        mirror.connectionEnded()
        refusal = nil
    }

    /// Begins again with another sender.
    mutating func restart() {
        connectionEnded()
        underWay = []
    }

    // MARK: - What is sent

    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether there is something to send, and nothing is on its way.
    var hasNext: Bool { mutating get { underWay.isEmpty && refusal == nil && !mirror.next().isEmpty } }

    /// Begins to send the next messages.
    mutating func begin() -> [OutgoingPublication] {
        underWay = mirror.next()
        return underWay
    }

    /// What was on its way has arrived, or not.
    mutating func end(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: mirror.acknowledged(underWay)
        case .park(let problem): refusal = problem
        case .retry, .pause: break
        }
        underWay = []
    }

    /// Removes everything from the broker, then calls `done`.
    func withdraw(by sender: any SinkSender, _ done: @escaping @Sendable () -> Void) {
        var mirror = mirror
        mirror.withdraw()
        Self.removeNext(WithdrawnMirror(mirror), sender, done)
    }

    private static func removeNext(_ mirror: WithdrawnMirror, _ sender: any SinkSender, _ done: @escaping @Sendable () -> Void) {
        let batch = mirror.left.withLock { $0.next() }
        if batch.isEmpty { return done() }
        sender.send(.publish(batch)) { result in
            // A broker that cannot be reached keeps it.
            guard result.outcome == .delivered else { return done() }
            mirror.left.withLock { $0.acknowledged(batch) }
            removeNext(mirror, sender, done)
        }
    }

    // MARK: - Problems

    /// What the journal has to be told: a problem, or that there is none. Nil when it knows.
    mutating func takeNews() -> Problem?? {
        let problem = excess ?? refusal
        if let told, told == problem { return nil }
        told = .some(problem)
        return .some(problem)
    }

    /// Notes that the journal could not be told.
    mutating func newsFailed() { told = nil }
}

/// What is still to be removed, by one thread after the other.
private final class WithdrawnMirror: Sendable {
    let left: Mutex<RetainedMirror>

    init(_ mirror: RetainedMirror) { left = Mutex(mirror) }
}
