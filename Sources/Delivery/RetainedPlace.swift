import Model

/// Where a sink retains messages: a broker, and the settings that name the topics there.
package struct RetainedPlace: Hashable, Sendable {
    /// The broker's URL with the sign-in.
    package var url: String
    /// The broker's URL without the sign-in.
    package var broker: String
    /// The template of the topics, or the prefix and the base of an announcement.
    package var topics: String

    package init(url: String, broker: String, topics: String) {
        self.url = url
        self.broker = broker
        self.topics = topics
    }

    /// Whether the places differ only in the sign-in.
    package func isSame(as other: Self) -> Bool { broker == other.broker && topics == other.topics }

    /// A sink that only publishes at the place.
    package var sink: Sink {
        get throws(Problem) {
            Sink(
                id: "retained",
                target: .mqtt(
                    MQTTTarget(url: url, topic: try BodyTemplate("picket", form: .plain, field: "topic"), stateTopic: nil)))
        }
    }
}

extension Sink {
    /// Where the sink retains messages; nil if it retains none.
    package var retainedPlace: RetainedPlace? {
        guard case .mqtt(let target) = target, let topics = announcement ?? target.stateTopic?.source else { return nil }
        return RetainedPlace(url: target.url, broker: WebAddress.peer(target.url), topics: topics)
    }
}
