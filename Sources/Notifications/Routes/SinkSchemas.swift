import Delivery
import Model
import Routing

extension Schemas {
    /// Schemas of sinks.
    static let sinks: [Named] = [
        named(SinkFilter.output), named(RateLimit.output), named(ConnectionStatus.output),
        named(ShownSink.output), ("SinkList", object("The sinks", ["sinks": ["type": "array", "items": any("Sink")]])),
        named(SinkTest.output), named(ShownRejectedEvent.output), ("ParkedEventPage", page("parked", of: "ParkedEvent")),
        ("ParkedCount", object("A number of rejected events", ["count": integer("The number of events")])),
    ]

    /// Schemas of the sinks that people send.
    static let newSinks: [Named] = choice(
        "NewSink", endings: SinkKind.allCases.map(\.rawValue), SinkKind.allCases.map(sink))

    private static func sink(_ kind: SinkKind) -> JSONValue {
        let others = SinkTarget.fields.map(\.name).filter { !kind.members.contains($0) }
        return input(
            "A sink", SinkDocument.output.schema, requires: ["kind"] + kind.neededMembers, without: others,
            changes: ["kind": word(kind.rawValue)])
    }
}
