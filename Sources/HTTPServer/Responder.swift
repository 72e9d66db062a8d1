import Model

/// Answers requests. Its methods are called on the HTTP threads and must not block.
package protocol Responder: Sendable {
    /// The support contact that problems name, if any.
    var supportContact: SupportContact? { get }
    /// Called with the head of a request: returns the handler of its body, or a refusal.
    func begin(_ request: Request) -> Beginning
    /// Called when a connection was opened (1) or closed (−1).
    func connectionsChanged(by difference: Int)
    /// Called when a request has ended.
    func ended(_ summary: ExchangeSummary)
}

/// The result of a request, for metrics and the log.
package struct ExchangeSummary: Sendable {
    package internal(set) var method: String
    /// The path with its query.
    package internal(set) var path: String
    /// The status of the answer; 0 when the client disconnected first.
    package internal(set) var status: UInt32
    package internal(set) var seconds: Double
    /// The numeric IP address of the client if the status is 400 or above; else empty.
    package internal(set) var client: String
    /// Whether the answer was a stream of events.
    package internal(set) var isStream: Bool
    /// Whether the client took nothing of the answer for so long that the connection was closed.
    package internal(set) var isStalled = false
    /// Whether the request was rejected because of a limit on memory or on waiting requests.
    package internal(set) var isRejectedForLoad: Bool
}
