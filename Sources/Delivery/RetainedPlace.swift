import Model

/// Where a sink retains messages: a broker, and the settings that name the topics there.
package struct RetainedPlace: Hashable, Sendable {
    /// The broker's URL with the user name and password.
    package var url: String
    /// The broker's URL without the user name and password.
    package var broker: String
    /// The template of the topics, or the prefix and the base of an announcement.
    package var topics: String

    package init(url: String, broker: String, topics: String) {
        self.url = url
        self.broker = broker
        self.topics = topics
    }

    /// Whether the places are the same, apart from the user name and password.
    package func isSame(as other: Self) -> Bool { broker == other.broker && topics == other.topics }

    /// A sink that only publishes at the place.
    package var sink: Sink {
        get throws(Problem) {
            var target = SinkTarget(.mqtt, url: url)
            (target.topic, target.stateTopic) = ("picket", "none")
            return Sink(id: "retained", target: target)
        }
    }
}

extension Sink {
    /// Where the sink retains messages; nil if it retains none.
    package var retainedPlace: RetainedPlace? {
        guard let topics = announcement ?? target.retainedStateTopic else { return nil }
        return RetainedPlace(url: target.address, broker: WebAddress.peer(target.address), topics: topics)
    }
}
