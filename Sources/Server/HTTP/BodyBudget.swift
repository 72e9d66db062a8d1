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

    /// - Parameter largestBody: The maximum size of a body in bytes. A sender can always send one when others send nothing.
    convenience init(largestBody: Int = 0) {
        // The import of geofences takes bodies of 64 MB whatever the setting is. Decoded positions take six times the memory of their text
        // when a position has 18 bytes of text, and less when it has more.
        let limit = max(256 << 20, 6 * largestBody)
        self.init(limit: limit, limitPerSender: limit / 8 * 3)
    }

    /// Changes the number of bytes that the body of one request takes. The limit of a sender holds for a second body and those after it,
    /// because a single body that exceeds this limit would exceed it again in each further attempt.
    ///
    /// - Parameter bytes: The bytes that are reserved for the body; set to `count` unless a limit is exceeded.
    func resize(_ bytes: inout Int, to count: Int, for sender: Sender) -> Reservation {
        let difference = count - bytes
        if difference == 0 { return .granted }
        let result: Reservation = state.withLock { state in
            let own = state.bytesBySender[sender, default: 0] + difference
            if difference > 0 {
                if own > limitPerSender, own > count { return .senderExceeds }
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
