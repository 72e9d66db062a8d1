/// What a person is told when the connection of something that goes on, as a live view or a feed, changes.
public enum ConnectionNotice: Hashable, Sendable {
    /// It was connected, and is no longer.
    case lost
    /// Nobody has answered yet. `peer` is as in `Problem.noConnection`.
    case notReached(peer: String)
    /// The peer answers, but cannot do what it is asked to.
    case refusedForNow(Problem)
    /// All attempts to reconnect failed, and nothing new is shown meanwhile.
    case liveUpdatesPaused
    /// All attempts to reconnect failed, and nothing is sent meanwhile.
    case sendingPaused
    /// It is connected again.
    case restored
    /// So many positions whose answer was lost, and that were sent again, had been stored the first time.
    case storedBefore(Int)
    /// It is connected for the first time, after attempts that failed.
    case reached(peer: String)
}
