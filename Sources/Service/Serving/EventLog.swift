import Model
import Synchronization

/// The newest events in memory for all followers. A follower that reads more slowly than events arrive has to read from the store. Can be
/// used from any thread.
package final class EventLog: Sendable {
    /// An event with its JSON.
    package struct EncodedEvent: Sendable {
        package var sequence: Int64
        package var event: Event
        package var json: String

        package init(_ event: Event) {
            sequence = event.sequence
            self.event = event
            var text = JSONBytes()
            event.write(into: &text)
            json = String(decoding: text.bytes, as: UTF8.self)
        }
    }

    private struct State {
        var newest: Int64 = 0
        /// Sorted by number without gaps; empty if there are no followers.
        var entries: [EncodedEvent] = []
        var followers: [Int: @Sendable () -> Void] = [:]
        var nextFollower = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: The number of events to keep in memory.
    ///
    package init(capacity: Int = 8192) { self.capacity = capacity }

    /// Sets the number of the store's newest event.
    package func setNewest(_ newest: Int64) { state.withLock { $0.newest = max($0.newest, newest) } }

    /// The number of the newest event.
    package var newest: Int64 { state.withLock { $0.newest } }

    /// Adds committed events, and wakes all followers.
    package func publish(_ events: [Event]) {
        guard let last = events.last else { return }
        let isFollowed = state.withLock { state in
            guard state.followers.isEmpty else { return true }
            state.newest = last.sequence
            return false
        }
        guard isFollowed else { return }
        let entries = events.map(EncodedEvent.init)
        let followers = state.withLock { state in
            state.newest = last.sequence
            // If an earlier sync failed, some stored events were never published here. Followers read them from the store.
            if let known = state.entries.last, known.sequence + 1 != entries[0].sequence { state.entries.removeAll() }
            // The last follower may have ended in the meantime.
            if !state.followers.isEmpty { state.entries += entries }
            // The log is cut in half, so that each event is moved at most twice.
            if state.entries.count > 2 * capacity { state.entries.removeFirst(state.entries.count - capacity) }
            return Array(state.followers.values)
        }
        for wake in followers { wake() }
    }

    /// Records that all events up to this number are on the disk, including some that were never published here, and wakes all followers,
    /// which then read the store.
    package func advance(to newest: Int64) {
        let followers = state.withLock { state in
            guard newest > state.newest else { return [@Sendable () -> Void]() }
            state.newest = newest
            state.entries.removeAll()
            return Array(state.followers.values)
        }
        for wake in followers { wake() }
    }

    /// Discards the events in memory, for example after some of them were erased. Followers that have not read them yet read the store.
    package func discardEvents() { state.withLock { $0.entries.removeAll() } }

    /// Starts to follow.
    ///
    /// - Parameter wake: Called after each addition on the thread that adds events. It must return quickly.
    /// - Returns: A number for `unfollow(_:)`.
    package func follow(_ wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = wake
            return state.nextFollower
        }
    }

    package func unfollow(_ number: Int) {
        state.withLock { state in
            state.followers[number] = nil
            if state.followers.isEmpty { state.entries.removeAll() }
        }
    }

    /// The events after a certain event.
    package enum Continuation: Sendable {
        /// The following events; empty if there are none.
        case entries(ArraySlice<EncodedEvent>)
        /// The following events are not in memory, and have to be read from the store.
        case readFromStore
    }

    /// At most `limit` events after the number `sequence`.
    package func entries(after sequence: Int64, limit: Int) -> Continuation {
        state.withLock { state in
            if sequence >= state.newest { return .entries([]) }
            guard let first = state.entries.first, sequence >= first.sequence - 1 else { return .readFromStore }
            let start = Int(sequence - first.sequence + 1)
            return .entries(state.entries[start..<min(state.entries.count, start + limit)])
        }
    }
}
