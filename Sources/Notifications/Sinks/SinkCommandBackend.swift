import Core
import Foundation
import Model
import Senders
import Synchronization

/// What commands can change in sinks. The implementations change the store directly or send requests to a running service; see
/// `CommandBackend`.
package protocol SinkCommandBackend: SinkQueryBackend {
    func makeSink(_ json: JSONValue) throws(Problem) -> JSONValue
    /// Changes the settings of a sink. A secret that is hidden in `json` stays the same.
    func putSink(_ json: JSONValue, id: String) throws(Problem) -> JSONValue
    func removeSink(id: String) throws(Problem)
    func holdSink(id: String) throws(Problem) -> JSONValue
    func releaseSink(id: String, skipping: Bool) throws(Problem) -> JSONValue
    /// Sends a test event.
    func trySink(id: String) throws(Problem) -> JSONValue

    /// Sends rejected events again: the one with this number, or all. Returns how many.
    func resendRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int
    /// Discards rejected events: the one with this number, or all. Returns how many.
    func discardRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int
}

extension ServiceWriter: SinkCommandBackend {
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
