/// A message to a person about the connection of something continuous, such as a live view or a feed.
public enum ConnectionNotice: Hashable, Sendable {
    /// The connection was lost.
    case lost
    /// The peer could not be reached so far. `peer` is as in `Problem.noConnection`.
    case notReached(peer: String)
    /// The peer answers, but cannot do what was requested now.
    case refusedForNow(Problem)
    /// All attempts to reconnect failed. Nothing new is shown until one succeeds.
    case liveUpdatesPaused
    /// All attempts to reconnect failed. Nothing is sent until one succeeds.
    case sendingPaused
    /// The connection was restored.
    case restored
    /// The number of positions that were sent twice, because the answer was lost, and that the peer had stored the first time.
    case storedBefore(Int)
    /// The first connection was made, after attempts that failed.
    case reached(peer: String)
}

extension ConnectionNotice {
    /// The notice in one or two sentences.
    public var message: Phrase {
        switch self {
        case .lost: Phrase("Connection lost. Reconnecting …")
        case .notReached(let peer): Phrase("\(peer) cannot be reached. Trying again …")
        case .refusedForNow(let problem): Phrase("\(problem.title). Trying again …")
        case .liveUpdatesPaused: Phrase("Live updates paused. Reconnecting in background.")
        case .sendingPaused: Phrase("Sending paused. Reconnecting in background.")
        case .restored: Phrase("Connected again.")
        case .storedBefore(let count):
            Phrase(
                count,
                one: """
                    The answer for \(count) stored position was lost. They count as duplicates, and their events are not listed here; \
                    'picket events' lists them.
                    """,
                other: """
                    The answer for \(count) stored positions was lost. They count as duplicates, and their events are not listed here; \
                    'picket events' lists them.
                    """)
        case .reached(let peer): Phrase("Connected to \(peer).")
        }
    }
}
