/// Makes the messages that a broker retains for Home Assistant match the wanted ones. Others are removed by `RetainedRemoval`. A
/// pure value: it returns what to publish, and receives the results.
package struct RetainedMirror: Sendable {
    private let discovery: HomeAssistantDiscovery
    private var configurations: [String: String] = [:]
    private var states: [String: String] = [:]
    /// The messages that the broker is known to retain, by topic.
    private var kept: [String: String] = [:]
    /// Messages to publish, the next one last; nil when they have to be computed again.
    private var pending: [OutgoingPublication]?

    /// The maximum number of messages that `next()` returns.
    private static let batchSize = 64

    package init(_ discovery: HomeAssistantDiscovery) { self.discovery = discovery }

    /// The topics of all wanted messages.
    package var topics: Set<String> { Set(configurations.keys).union(states.keys) }

    /// Sets the wanted messages. Returns whether they differ from those before.
    @discardableResult
    package mutating func setWanted(configurations: [String: String], states: [String: String]) -> Bool {
        if self.configurations == configurations, self.states == states { return false }
        (self.configurations, self.states) = (configurations, states)
        pending = nil
        return true
    }

    /// Records a message that the broker retains.
    package mutating func recordKept(_ topic: String, _ payload: String) {
        kept[topic] = payload
        pending = nil
    }

    /// Records that messages were removed from the broker.
    package mutating func recordRemoved(_ topics: [String]) {
        for topic in topics { kept[topic] = nil }
        pending = nil
    }

    /// Records that the connection has ended, or that another client has published. What the broker retains is unknown from then on.
    package mutating func connectionEnded() {
        kept = [:]
        pending = nil
    }

    /// The next messages to publish; none when the broker retains what it should.
    ///
    /// Configurations come before states, so that no state belongs to an unknown entity. Availability comes last.
    package mutating func next() -> [OutgoingPublication] {
        let pending = self.pending ?? differences()
        self.pending = pending
        return pending.suffix(Self.batchSize).reversed()
    }

    /// Records that the broker has acknowledged messages returned by `next()`.
    package mutating func acknowledged(_ publications: [OutgoingPublication]) {
        for publication in publications { kept[publication.topic] = publication.payload }
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
            if kept[topic] == payload { return }
            found.append((rank, OutgoingPublication(topic: topic, payload: payload, isRetained: true)))
        }
        for (topic, payload) in configurations { add(0, topic, payload) }
        for (topic, payload) in states { add(topic == discovery.availabilityTopic ? 2 : 1, topic, payload) }
        return found.sorted { ($1.rank, $1.message.topic) < ($0.rank, $0.message.topic) }.map(\.message)
    }
}
