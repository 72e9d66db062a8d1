import Core
import Model

/// What commands can query about sinks. The implementations read the store directly or send requests to a running service; see
/// `QueryBackend`.
package protocol SinkQueryBackend: AnyObject {
    /// The sinks as in the HTTP interface, without their secrets.
    func sinkDocuments() throws(Problem) -> [JSONValue]
    func sinkDocument(id: String) throws(Problem) -> JSONValue

    /// Calls `body` with each event that a sink rejected permanently.
    func forEachRejected(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem)
}

extension Queries: SinkQueryBackend {
    package func sinkDocuments() throws(Problem) -> [JSONValue] {
        try sinks().map { ShownSink($0).json(in: locale(.english)) }
    }

    package func sinkDocument(id: String) throws(Problem) -> JSONValue {
        ShownSink(try sink(id: id)).json(in: locale(.english))
    }

    package func forEachRejected(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        var after: Int64 = 0
        while true {
            let page = try rejectedEvents(ofSink: id, after: after, limit: 1000)
            for (rejected, event) in page.items { try body(ShownRejectedEvent(rejected, event).json(in: locale(.english))) }
            guard let next = page.next.flatMap({ Int64($0) }) else { return }
            after = next
        }
    }
}
