import Model

/// Synchronizes the broker's retained messages for Home Assistant with the wanted ones. A pure value: it returns what to publish, and is
/// told the results.
package struct RetainedMirror: Sendable {
    private let discovery: HomeAssistantDiscovery
    private var configurations: [String: String] = [:]
    private var states: [String: String] = [:]
    /// The messages that the broker is known to keep, by topic.
    private var kept: [String: String] = [:]
    /// Topics at which the broker may keep a message from before the connection was lost.
    private var possiblyKept: Set<String> = []
    /// Messages to publish, the next one last; nil when they have to be computed again.
    private var pending: [OutgoingPublication]?

    /// The greatest number of messages that `next()` returns.
    private static let batchSize = 64

    package init(_ discovery: HomeAssistantDiscovery) { self.discovery = discovery }

    /// Sets the wanted messages. Returns whether they differ from those before.
    @discardableResult
    package mutating func setWanted(configurations: [String: String], states: [String: String]) -> Bool {
        if self.configurations == configurations, self.states == states { return false }
        for topic in self.configurations.keys where configurations[topic] == nil { possiblyKept.insert(topic) }
        for topic in self.states.keys where states[topic] == nil { possiblyKept.insert(topic) }
        (self.configurations, self.states) = (configurations, states)
        pending = nil
        return true
    }

    /// Plans the removal of all messages from the broker.
    package mutating func withdraw() {
        possiblyKept.formUnion(configurations.keys)
        possiblyKept.formUnion(states.keys)
        (configurations, states) = ([:], [:])
        pending = nil
    }

    /// Records a message that the broker keeps.
    package mutating func recordKept(_ topic: String, _ payload: String) {
        kept[topic] = payload
        pending = nil
    }

    /// Records that the connection has ended, or that another client has published. What the broker keeps is unknown from then on.
    package mutating func connectionEnded() {
        possiblyKept.formUnion(kept.keys)
        kept = [:]
        pending = nil
    }

    /// The next messages to publish; none when the broker keeps what it should.
    ///
    /// Removals come first, configurations before the states that they name, so that no entity gets an empty state. Then come
    /// configurations before states, so that no state belongs to an unknown entity. Availability comes last.
    package mutating func next() -> [OutgoingPublication] {
        let pending = self.pending ?? differences()
        self.pending = pending
        return pending.suffix(Self.batchSize).reversed()
    }

    /// Records that the broker has acknowledged messages returned by `next()`.
    package mutating func acknowledged(_ publications: [OutgoingPublication]) {
        for publication in publications {
            kept[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
            possiblyKept.remove(publication.topic)
        }
        // Usually the messages are still the last ones.
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
        for topic in possiblyKept.union(kept.keys) where configurations[topic] == nil && states[topic] == nil {
            add(discovery.isConfiguration(topic) ? 0 : 1, topic, "")
        }
        for (topic, payload) in configurations where kept[topic] != payload { add(2, topic, payload) }
        for (topic, payload) in states where kept[topic] != payload {
            add(topic == discovery.availabilityTopic ? 4 : 3, topic, payload)
        }
        return found.sorted { ($1.rank, $1.message.topic) < ($0.rank, $0.message.topic) }.map(\.message)
    }
}
