import Routing
import Synchronization

/// Limits the memory that the bodies and the answers of all current requests take, together, for each token, and for each address. Can be
/// used from any thread.
package final class MemoryBudget: Sendable {
    /// Who sends a request.
    struct Sender: Hashable, Sendable {
        /// The id of the token; nil if the request has none.
        var token: String?
        /// Nil if it is unknown.
        var address: ClientAddress?
    }

    enum Reservation {
        case granted
        /// The bodies and answers of this sender take too much.
        case senderExceeds
        /// All bodies and answers together take too much.
        case allExceed
    }

    private struct State {
        var bytes = 0
        /// Tokens and addresses without bytes are left out.
        var bytesByToken: [String: Int] = [:]
        var bytesByAddress: [ClientAddress?: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitPerToken: Int
    private let limitPerAddress: Int

    /// - Parameters:
    ///   - limitPerToken: The bytes of requests with one token, and of those without a token from one address.
    ///   - limitPerAddress: The bytes of requests from one address, with any tokens. It leaves a part of all bytes to others.
    init(limit: Int, limitPerToken: Int, limitPerAddress: Int) {
        self.limit = limit
        self.limitPerToken = limitPerToken
        self.limitPerAddress = limitPerAddress
    }

    /// - Parameter largestBody: The maximum size of a body in bytes, which one token can send, but never so much that others can
    ///   send nothing.
    package convenience init(largestBody: Int = 0) {
        // The import of geofences takes bodies of 64 MB regardless of the setting. Decoded positions take six times the memory of
        // their text when a position has 22 bytes of text and the array of positions has just grown, and less otherwise: 88 bytes
        // for each position, a quarter more for the array, and the text itself, which is counted because a decoder may hold all
        // of it.
        let limitPerToken = max(96 << 20, 6 * largestBody)
        let limit = max(256 << 20, 2 * limitPerToken)
        self.init(limit: limit, limitPerToken: limitPerToken, limitPerAddress: limit / 4 * 3)
    }

    /// The bytes that all requests take.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Changes the number of bytes that one request takes.
    ///
    /// - Parameter bytes: The bytes that are reserved for the request; set to `count` unless a limit is exceeded.
    func resize(_ bytes: inout Int, to count: Int, for sender: Sender) -> Reservation {
        let difference = count - bytes
        if difference == 0 { return .granted }
        let result: Reservation = state.withLock { state in
            let ofToken = sender.token.map { state.bytesByToken[$0, default: 0] + difference }
            let ofAddress = state.bytesByAddress[sender.address, default: 0] + difference
            if difference > 0 {
                let limitOfAddress = sender.token == nil ? limitPerToken : limitPerAddress
                if ofToken ?? 0 > limitPerToken || ofAddress > limitOfAddress { return .senderExceeds }
                if state.bytes + difference > limit { return .allExceed }
            }
            state.bytes += difference
            if let token = sender.token, let ofToken { state.bytesByToken[token] = ofToken > 0 ? ofToken : nil }
            state.bytesByAddress[sender.address] = ofAddress > 0 ? ofAddress : nil
            return .granted
        }
        if case .granted = result { bytes = count }
        return result
    }
}
