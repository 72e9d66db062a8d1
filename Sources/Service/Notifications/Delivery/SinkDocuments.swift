import Foundation
import Model
import Senders
import Synchronization

// Sinks for commands; see `QueryBackend` and `CommandBackend`.

extension Queries {
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

extension ServiceWriter {
    /// A person with access to the data directory has no restrictions.
    private static let editor = SinkEditor(isLocal: true, allowsPrivate: true)

    package func makeSink(_ json: JSONValue) throws(Problem) -> JSONValue {
        ShownSink(try createSink(json, by: Self.editor)).json(in: locale(.english))
    }

    package func putSink(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        ShownSink(try saveSink(json, id: id, by: Self.editor)).json(in: locale(.english))
    }

    package func holdSink(id: String) throws(Problem) -> JSONValue {
        ShownSink(try pauseSink(id: id)).json(in: locale(.english))
    }

    package func releaseSink(id: String, skipping: Bool) throws(Problem) -> JSONValue {
        ShownSink(try resumeSink(id: id, skipping: skipping)).json(in: locale(.english))
    }

    package func trySink(id: String) throws(Problem) -> JSONValue {
        let clock = clock
        let senders = try Senders(now: { clock.now() })
        defer { senders.stop() }
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<SinkTest?>(nil)
        try test(sink: id, with: senders) { test in
            result.withLock { $0 = test }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }?.json(in: locale(.english)) ?? .null
    }
}
