import Model
import Synchronization

/// The newest events, for all that follow them: who reads slower than they come is served from the store instead.
public final class EventLog: Sendable {
    /// An event as it is sent.
    public struct Entry: Sendable {
        public var sequence: Int64
        public var event: Event
        /// The event's JSON.
        public var json: String

        public init(_ event: Event) {
            sequence = event.sequence
            self.event = event
            json = event.json.description
        }
    }

    private struct State {
        var newest: Int64 = 0
        /// In order of sequence, without a gap; empty while nobody follows.
        var entries: [Entry] = []
        var followers: [Int: @Sendable () -> Void] = [:]
        var nextFollower = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: How many events are kept for those that follow.
    public init(capacity: Int = 8192) { self.capacity = capacity }

    /// Begins with what the store has already: the number of its newest event.
    public func begin(at newest: Int64) { state.withLock { $0.newest = max($0.newest, newest) } }

    /// The number of the newest event.
    public var newest: Int64 { state.withLock { $0.newest } }

    /// How many follow.
    public var followerCount: Int { state.withLock { $0.followers.count } }

    /// Adds events that are kept now, and wakes all that follow.
    public func publish(_ events: [Event]) {
        guard let last = events.last else { return }
        let isFollowed = state.withLock { state in
            guard state.followers.isEmpty else { return true }
            state.newest = last.sequence
            return false
        }
        guard isFollowed else { return }
        let entries = events.map(Entry.init)
        let followers = state.withLock { state in
            state.newest = last.sequence
            // Some that are stored were never told, because they could not be synced: who is behind them asks the store.
            if let known = state.entries.last, known.sequence + 1 != entries[0].sequence { state.entries.removeAll() }
            // The last that followed may have gone meanwhile.
            if !state.followers.isEmpty { state.entries += entries }
            // Cut by halves, so that an event is moved twice at most.
            if state.entries.count > 2 * capacity { state.entries.removeFirst(state.entries.count - capacity) }
            return Array(state.followers.values)
        }
        for wake in followers { wake() }
    }

    /// Notes that all events up to this number are on the disk, also some that were never told here, and wakes all that follow: they read
    /// the store.
    public func pass(to newest: Int64) {
        let followers = state.withLock { state in
            guard newest > state.newest else { return [@Sendable () -> Void]() }
            state.newest = newest
            state.entries.removeAll()
            return Array(state.followers.values)
        }
        for wake in followers { wake() }
    }

    /// Forgets the events that are kept here, as after some of them were erased: whoever has not read them yet reads the store.
    public func forget() { state.withLock { $0.entries.removeAll() } }

    /// Begins to follow.
    ///
    /// - Parameter wake: Called after each addition, on the thread that adds; it must be quick.
    /// - Returns: A number to end it by.
    public func follow(_ wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = wake
            return state.nextFollower
        }
    }

    public func unfollow(_ number: Int) {
        state.withLock { state in
            state.followers[number] = nil
            if state.followers.isEmpty { state.entries.removeAll() }
        }
    }

    /// What comes after an event.
    public enum Continuation: Sendable {
        /// These; none when it is the newest.
        case entries(ArraySlice<Entry>)
        /// It is no more, or not yet, kept here: the store has it.
        case behind
    }

    /// The events after `sequence`, at most `limit`.
    public func entries(after sequence: Int64, limit: Int) -> Continuation {
        state.withLock { state in
            if sequence >= state.newest { return .entries([]) }
            guard let first = state.entries.first, sequence >= first.sequence - 1 else { return .behind }
            let start = Int(sequence - first.sequence + 1)
            return .entries(state.entries[start..<min(state.entries.count, start + limit)])
        }
    }
}
