import Foundation
import Model
import Synchronization

/// Sinks as commands read them, from the store directly or from a running service. Sinks are JSON as in the HTTP interface, without their
/// secrets.
package protocol SinkQueryBackend: AnyObject {
    /// The directory or the URL, for messages.
    var location: String { get }

    func sinkDocuments() throws(Problem) -> [JSONValue]
    func sinkDocument(id: String) throws(Problem) -> JSONValue

    /// Calls `body` with each event that a sink rejected permanently.
    func forEachRejected(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem)
}
