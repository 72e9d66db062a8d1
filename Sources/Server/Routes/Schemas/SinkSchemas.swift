import Delivery
import Model
import Notifications
import Routing
import Service

extension Schemas {
    /// Schemas of sinks.
    static let sinks: [Named] = [
        named(SinkFilter.output), named(RateLimit.output), named(ConnectionStatus.output),
        named(ShownSink.output), ("SinkList", object("The sinks", ["sinks": ["type": "array", "items": any("Sink")]])),
        named(SinkTest.output), named(ShownRejectedEvent.output), ("ParkedEventPage", page("parked", of: "ParkedEvent")),
        ("ParkedCount", object("A number of rejected events", ["count": integer("The number of events")])),
    ]
}
