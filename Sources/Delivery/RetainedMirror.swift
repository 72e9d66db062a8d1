import Model

/// Makes what a broker keeps the same as what it should keep: finds what is missing, other or too much. Pure: what is done is told back.
public struct RetainedMirror: Sendable {
    private var configurations: [String: String] = [:]
    private var states: [String: String] = [:]
    private let discovery: HomeAssistantDiscovery
    /// What the broker is known to keep, by topic; empty for nothing.
    private var kept: [String: String] = [:]
    /// What has to be published, the next last; nil when that is not known.
    private var pending: [OutgoingPublication]?

    /// So many are published together.
    private static let batchSize = 64

    public init(_ discovery: HomeAssistantDiscovery) { self.discovery = discovery }

    /// The states that were last asked for.
    public var knownStates: [String: String] { states }

    /// Says what the broker should keep.
    public mutating func want(configurations: [String: String], states: [String: String]) {
        if self.configurations == configurations, self.states == states { return }
        (self.configurations, self.states) = (configurations, states)
        pending = nil
    }

    /// Takes note of a configuration that the broker keeps: at the topics that it names there may be something, too.
    public mutating func found(_ topic: String, _ payload: String) {
        kept[topic] = payload
        // What is no JSON names no topics.
        if let json = try? JSONParser.parse(payload) {
            for name in ["state_topic", "json_attributes_topic"] {
                if let topic = json[name]?.string, kept[topic] == nil { kept[topic] = "?" }
            }
        }
        pending = nil
    }

    /// Takes note that the connection has ended: what the broker keeps is not known any more.
    public mutating func lost() {
        kept = [:]
        pending = nil
    }

    /// Messages that make the broker keep what it should; none when it does.
    ///
    /// What is no more goes first, states before the configurations by which they are found. Configurations come before states, so that
    /// nobody is told a state of an entity that is not there, and that all is there comes last.
    public mutating func next() -> [OutgoingPublication] {
        let pending = self.pending ?? differences()
        self.pending = pending
        return pending.suffix(Self.batchSize).reversed()
    }

    /// Takes note that the broker has messages that `next` gave.
    public mutating func arrived(_ publications: [OutgoingPublication]) {
        for publication in publications { kept[publication.topic] = publication.payload }
        // Most often they are the last ones still.
        if let pending, pending.suffix(publications.count).reversed().elementsEqual(publications) {
            self.pending?.removeLast(publications.count)
        } else {
            pending = nil
        }
    }

    /// Messages that have the broker keep nothing of it any more.
    public var removals: [OutgoingPublication] {
        kept.filter { !$0.value.isEmpty }.keys.sorted().map { OutgoingPublication(topic: $0, payload: "", isRetained: true) }
    }

    private func differences() -> [OutgoingPublication] {
        var found: [(rank: Int, message: OutgoingPublication)] = []
        func add(_ rank: Int, _ topic: String, _ payload: String) {
            // The broker keeps nothing where nothing was ever published.
            if kept[topic, default: ""] == payload { return }
            found.append((rank, OutgoingPublication(topic: topic, payload: payload, isRetained: true)))
        }
        for topic in kept.keys where configurations[topic] == nil && states[topic] == nil {
            add(discovery.isConfiguration(topic) ? 1 : 0, topic, "")
        }
        for (topic, payload) in configurations { add(2, topic, payload) }
        for (topic, payload) in states { add(topic == discovery.availabilityTopic ? 4 : 3, topic, payload) }
        return found.sorted { ($1.rank, $1.message.topic) < ($0.rank, $0.message.topic) }.map(\.message)
    }
}
