import Core
import Delivery
import Model

/// The status of a sink while a service runs.
package struct SinkStatus: Sendable {
    package var connection: ConnectionStatus
    /// The number of messages that wait or are being sent. It includes events that were not read yet and that the filter may leave out.
    package var waiting: Int
    /// The number of delivered messages since the sink was created.
    package var delivered: Int
    package var deliveredAt: Instant?
    /// The number of failed attempts since the service started.
    var failures: Int
    /// The number of events that were too old to be sent since the service started; see `Sink.maxAge`.
    var tooOld: Int
    /// The number of events that the sink rejected permanently.
    var rejected: Int
    /// The new URL of the sink if its responses say that it has moved permanently.
    var movedTo: String?
}

extension ServiceNotice {
    /// A notice of the current connection to a sink: `{"id":"phone","kind":"ntfy","connection":{…}}`.
    ///
    /// - Parameter contact: See `AnswerLocale.contact`.
    package init(_ sink: Sink, _ connection: ConnectionStatus, contact: SupportContact?) {
        self.init(.sink, deviceId: nil) { language in
            [
                "id": .string(sink.id), "kind": .string(sink.target.kind.rawValue),
                "connection": connection.json(in: AnswerLocale(language, contact: contact)),
            ]
        }
    }
}
