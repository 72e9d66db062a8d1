import Delivery
import Model

/// The retained messages for Home Assistant at the broker of one sink, and which of them are being sent. Each topic is recorded in the store
/// before a message is published there, so that the message can be removed later.
struct RetainedMessages {
    let discovery: HomeAssistantDiscovery
    let place: RetainedPlace
    private var mirror: RetainedMirror
    /// The messages that are being sent; empty if there are none.
    private var underWay: [OutgoingPublication] = []
    /// The input of the configurations: the devices without their states, and the language.
    private var announced: (devices: [HomeAssistantDiscovery.Device], language: Language)?
    private var configurations: [String: String] = [:]
    /// The wanted topics that the store has; nil before they are read.
    private var recorded: Set<String>?
    /// Configurations of entities that the service announced before, perhaps with another store, by topic.
    private var found: [String: String] = [:]
    /// Whether the recorded topics may differ from the wanted ones.
    private var mayDiffer = true
    private var isRecording = false
    /// When a failed recording may be tried again; nil if none has failed.
    private var recordAgainAt: ContinuousClock.Instant?
    /// Why the broker permanently rejects the messages; nil if it does not. Nothing is sent again until the messages change.
    private var refusal: Problem?
    /// Why the sink announces nothing: there would be too many entities.
    private var limitProblem: Problem?
    /// The last state that was recorded in the problem journal: nil for none yet, otherwise the problem or that there is none.
    private var recordedState: Problem??

    /// Nil if the sink announces nothing to Home Assistant.
    init?(of sink: Sink) {
        guard let discovery = sink.target.homeAssistant, let place = sink.retainedPlace else { return nil }
        self.discovery = discovery
        self.place = place
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
        guard mirror.setWanted(configurations: configurations, states: states) else { return }
        refusal = nil
        if mirror.topics != recorded { mayDiffer = true }
    }

    /// Handles a configuration that the broker retains.
    mutating func recordRetained(_ topic: String, _ payload: String) {
        mirror.recordKept(topic, payload)
        if configurations[topic] == nil {
            found[topic] = payload
            mayDiffer = true
        }
    }

    /// Handles the removal of messages from the broker.
    mutating func recordRemoved(_ topics: [String]) { mirror.recordRemoved(topics) }

    /// Handles the end of a connection to the broker. The outcome of messages that are being sent is reported separately.
    mutating func connectionEnded() {
        mirror.connectionEnded()
        refusal = nil
    }

    /// Starts again with another sender.
    mutating func restart() {
        connectionEnded()
        underWay = []
        (isRecording, recorded, mayDiffer) = (false, nil, true)
    }

    // MARK: - Sending

    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether there is something to send, and nothing is being sent.
    var hasNext: Bool { mutating get { underWay.isEmpty && !mayDiffer && refusal == nil && !mirror.next().isEmpty } }

    /// Starts to send the next messages, and returns them.
    mutating func begin() -> [OutgoingPublication] {
        underWay = mirror.next()
        return underWay
    }

    /// Handles the outcome of the messages that were sent.
    mutating func end(_ outcome: DeliveryOutcome) {
        switch outcome {
        case .delivered: mirror.acknowledged(underWay)
        case .reject(let problem): refusal = problem
        case .retry, .pause: break
        }
        underWay = []
    }

    // MARK: - Recording

    /// Topics to record in the store.
    struct TopicChange: Sendable {
        var added: [String]
        var unwanted: [String]
    }

    /// Begins to record how the wanted topics differ from the recorded ones; nil if they do not, or this is not possible now.
    ///
    /// - Parameter read: Reads the recorded topics; returns nil if that is not possible now.
    mutating func beginRecording(_ read: () -> Set<String>?) -> TopicChange? {
        // Without the devices, it is unknown what is wanted.
        guard mayDiffer, !isRecording, announced != nil else { return nil }
        if let recordAgainAt, ContinuousClock.now < recordAgainAt { return nil }
        guard let recorded = recorded ?? read() else { return nil }
        self.recorded = recorded
        let wanted = mirror.topics
        var unwanted = recorded.subtracting(wanted)
        for (topic, payload) in found {
            unwanted.formUnion([topic] + discovery.stateTopics(namedBy: payload))
        }
        unwanted.subtract(wanted)
        found = [:]
        let change = TopicChange(added: Array(wanted.subtracting(recorded)), unwanted: Array(unwanted))
        if change.added.isEmpty, change.unwanted.isEmpty {
            mayDiffer = false
            return nil
        }
        isRecording = true
        return change
    }

    /// Handles the outcome of a recording.
    mutating func endRecording(_ change: TopicChange, isSaved: Bool) {
        isRecording = false
        recordAgainAt = isSaved ? nil : ContinuousClock.now + .seconds(1)
        // What is recorded after a failure is read again.
        recorded = isSaved ? recorded?.subtracting(change.unwanted).union(change.added) : nil
        mayDiffer = mirror.topics != recorded || !found.isEmpty
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
