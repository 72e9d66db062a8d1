import Synchronization

/// Limits the memory that the bodies of all current requests take, together and for each sender. Can be used from any thread.
final class BodyBudget: Sendable {
    /// Who sends a body.
    enum Sender: Hashable, Sendable {
        /// By the id of the token.
        case token(String)
        case address(ClientAddress?)
    }

    enum Reservation {
        case granted
        /// The bodies of this sender take too much.
        case senderExceeds
        /// All bodies together take too much.
        case allExceed
    }

    private struct State {
        var bytes = 0
        /// Senders without bytes are left out.
        var bytesBySender: [Sender: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerSender: Int

    init(limit: Int, limitPerSender: Int) {
        self.limit = limit
        self.limitPerSender = limitPerSender
    }

    /// - Parameter largestBody: The maximum size of a body in bytes. A sender can always send one.
    convenience init(largestBody: Int = 0) {
        // The import of geofences takes bodies of 64 MB whatever the setting is.
        let limit = max(256 << 20, 4 * largestBody)
        self.init(limit: limit, limitPerSender: limit / 8 * 3)
    }

    /// Changes the number of bytes that the body of one request takes.
    ///
    /// - Parameter bytes: The bytes that are reserved for the body; set to `count` unless a limit is exceeded.
    func resize(_ bytes: inout Int, to count: Int, for sender: Sender) -> Reservation {
        let difference = count - bytes
        if difference == 0 { return .granted }
        let result: Reservation = state.withLock { state in
            let own = state.bytesBySender[sender, default: 0] + difference
            if difference > 0 {
                if own > limitPerSender { return .senderExceeds }
                if state.bytes + difference > limit { return .allExceed }
            }
            state.bytes += difference
            state.bytesBySender[sender] = own > 0 ? own : nil
            return .granted
        }
        if case .granted = result { bytes = count }
        return result
    }
}
