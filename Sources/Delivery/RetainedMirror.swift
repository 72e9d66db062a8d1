import Model

/// Makes what a broker keeps for Home Assistant equal to what it should keep. A pure value: it says what to publish, and is told what
/// became of that.
public struct RetainedMirror: Sendable {
    private let discovery: HomeAssistantDiscovery
    private var configurations: [String: String] = [:]
    private var states: [String: String] = [:]
    /// What the broker is known to keep, by topic; `unknownPayload` where only that there may be something is known.
    private var kept: [String: String] = [:]
    /// Topics at which the broker may keep something from before the connection was lost.
    private var keptBefore: Set<String> = []
    /// What has to be published, the next last; nil when that has to be found out.
    private var pending: [OutgoingPublication]?

    /// So many are published together.
    private static let batchSize = 64
    /// No payload of ours.
    private static let unknownPayload = "?"

    public init(_ discovery: HomeAssistantDiscovery) { self.discovery = discovery }

    /// Says what the broker should keep. True when that is something else than before.
    @discardableResult
    public mutating func setWanted(configurations: [String: String], states: [String: String]) -> Bool {
        if self.configurations == configurations, self.states == states { return false }
        for topic in self.configurations.keys where configurations[topic] == nil { keptBefore.insert(topic) }
        for topic in self.states.keys where states[topic] == nil { keptBefore.insert(topic) }
        (self.configurations, self.states) = (configurations, states)
        pending = nil
        return true
    }

    /// Has everything removed from the broker, whatever is known of it.
    public mutating func withdraw() {
        keptBefore.formUnion(configurations.keys)
        keptBefore.formUnion(states.keys)
        (configurations, states) = ([:], [:])
        pending = nil
    }

    /// Notes a configuration that the broker keeps, and that it may keep something at the topics that the configuration names.
    public mutating func noteKept(_ topic: String, _ payload: String) {
        kept[topic] = payload
        // One that is not JSON names no topics.
        if let json = try? JSONParser.parse(payload) {
            for name in ["state_topic", "json_attributes_topic"] {
                if let topic = json[name]?.string, kept[topic] == nil { kept[topic] = Self.unknownPayload }
            }
        }
        pending = nil
    }

    /// Notes that the connection has ended, or that somebody else has published: what the broker keeps has to be found out again.
    public mutating func connectionEnded() {
        keptBefore.formUnion(kept.keys)
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

    /// Notes that the broker has acknowledged messages that `next` gave.
    public mutating func acknowledged(_ publications: [OutgoingPublication]) {
        for publication in publications {
            kept[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
            keptBefore.remove(publication.topic)
        }
        // Most often they are the last ones still.
        if let pending, pending.suffix(publications.count).reversed().elementsEqual(publications) {
            self.pending?.removeLast(publications.count)
        } else {
            pending = nil
        }
    }

    private func differences() -> [OutgoingPublication] {
        var found: [(rank: Int, message: OutgoingPublication)] = []
        func add(_ rank: Int, _ topic: String, _ payload: String) {
            found.append((rank, OutgoingPublication(topic: topic, payload: payload, isRetained: true)))
        }
        for topic in keptBefore.union(kept.keys) where configurations[topic] == nil && states[topic] == nil {
            add(discovery.isConfiguration(topic) ? 1 : 0, topic, "")
        }
        for (topic, payload) in configurations where kept[topic] != payload { add(2, topic, payload) }
        for (topic, payload) in states where kept[topic] != payload {
            add(topic == discovery.availabilityTopic ? 4 : 3, topic, payload)
        }
        return found.sorted { ($1.rank, $1.message.topic) < ($0.rank, $0.message.topic) }.map(\.message)
    }
}
