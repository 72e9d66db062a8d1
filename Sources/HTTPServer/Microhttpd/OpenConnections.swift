import Foundation
import Routing
import Synchronization

/// The open connections of a server, with the time by which the request of each must be complete. When there are too many, the one that
/// has been idle for the longest is closed, or else the one whose request has been incomplete for the longest. Can be used from any thread.
final class OpenConnections: Sendable {
    /// One open connection.
    final class Entry: Sendable {
        /// The time by which the request must be complete, in milliseconds of the monotonic clock; 0 for no such time.
        let deadline: Atomic<Int64>
        /// When the connection became idle, or when the head of its request was received, in the same clock.
        let since: Atomic<Int64>
        /// Whether no request has been received since the last answer. Only its head may have begun.
        let isIdle = Atomic<Bool>(true)
        /// Whether the connection was shut down here. libmicrohttpd closes it later.
        fileprivate let isShutDown = Atomic<Bool>(false)
        fileprivate let descriptor: Int32
        /// Nil if connections of its address are not limited.
        fileprivate let client: ClientAddress?

        fileprivate init(descriptor: Int32, client: ClientAddress?, at now: Int64, deadline: Int64) {
            self.descriptor = descriptor
            self.client = client
            self.deadline = Atomic(deadline)
            since = Atomic(now)
        }
    }

    private struct State {
        /// By the pointer of libmicrohttpd.
        var entries: [UInt: Entry] = [:]
        /// The number of connections that were not shut down.
        var open = 0
        /// The same for each address whose connections are limited.
        var openByClient: [ClientAddress: Int] = [:]

        /// Shuts down a connection. Its thread then notices that it has ended.
        mutating func shutDown(_ entry: Entry) {
            guard !entry.isShutDown.exchange(true, ordering: .relaxed) else { return }
            shutdown(entry.descriptor, Int32(SHUT_RDWR))
            removeFromCounts(entry)
        }

        mutating func removeFromCounts(_ entry: Entry) {
            open -= 1
            guard let client = entry.client, let count = openByClient[client] else { return }
            openByClient[client] = count > 1 ? count - 1 : nil
        }

        /// The connection to close when there are too many: the one that has been idle for the longest, or else the one whose
        /// request has been incomplete for the longest. Connections that have become idle or incomplete just now are only closed
        /// when there are no others.
        ///
        /// - Parameter client: Of this client only; nil for all.
        /// - Complexity: O(connections).
        func mostDispensable(of client: ClientAddress?, at now: Int64) -> Entry? {
            var idle: (entry: Entry, since: Int64)?
            var incomplete: (entry: Entry, since: Int64)?
            for entry in entries.values
            where !entry.isShutDown.load(ordering: .relaxed) && (client == nil || entry.client == client) {
                let since = entry.since.load(ordering: .relaxed)
                if entry.isIdle.load(ordering: .relaxed) {
                    if idle.map({ since < $0.since }) ?? true { idle = (entry, since) }
                } else if entry.deadline.load(ordering: .relaxed) > 0 {
                    if incomplete.map({ since < $0.since }) ?? true { incomplete = (entry, since) }
                }
            }
            for candidate in [idle, incomplete] {
                if let candidate, now - candidate.since >= OpenConnections.grace { return candidate.entry }
            }
            return idle?.entry ?? incomplete?.entry
        }
    }

    private let state = Mutex(State())
    private let held = Atomic<Int>(0)
    private let limit: Int
    private let limitPerClient: Int
    /// Milliseconds in which a client that has just connected or begun a body can continue.
    private static let grace: Int64 = 250

    /// - Parameters:
    ///   - limit: The maximum number of connections.
    ///   - limitPerClient: The maximum number of connections of one address.
    init(limit: Int, limitPerClient: Int) {
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    /// The number of connections from their acceptance until libmicrohttpd has closed them.
    var count: Int { held.load(ordering: .relaxed) }

    /// Counts a connection that was accepted. Call `closed()` if libmicrohttpd has not taken it over, and `remove(_:)` if it has.
    func accepted() { held.add(1, ordering: .relaxed) }

    func closed() { held.subtract(1, ordering: .relaxed) }

    /// Adds a connection. If that is one too many, the most dispensable one is shut down: one of the same address if that address has too
    /// many. If all others are busy, this is the new one.
    ///
    /// - Parameters:
    ///   - id: The pointer of libmicrohttpd.
    ///   - client: Nil if connections of the address are not limited.
    ///   - now: The time, in milliseconds of the monotonic clock.
    ///   - deadline: When the head of the first request must be complete.
    /// - Complexity: O(1), and O(connections) if there are too many.
    func add(_ id: UInt, descriptor: Int32, client: ClientAddress?, at now: Int64, deadline: Int64) -> Entry {
        let entry = Entry(descriptor: descriptor, client: client, at: now, deadline: deadline)
        state.withLock { state in
            state.entries[id] = entry
            state.open += 1
            if let client {
                state.openByClient[client, default: 0] += 1
                if state.openByClient[client, default: 0] > limitPerClient {
                    state.mostDispensable(of: client, at: now).map { state.shutDown($0) }
                }
            }
            if state.open > limit { state.mostDispensable(of: nil, at: now).map { state.shutDown($0) } }
        }
        return entry
    }

    /// Removes a connection. libmicrohttpd closes its descriptor only after this call, so no other connection is shut down by mistake.
    ///
    /// - Returns: Whether the connection was there.
    func remove(_ id: UInt) -> Bool {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: id) else { return false }
            closed()
            if !entry.isShutDown.load(ordering: .relaxed) { state.removeFromCounts(entry) }
            return true
        }
    }

    /// Shuts down the connections whose deadline has passed.
    func closeOverdue(at now: Int64) {
        state.withLock { state in
            for entry in state.entries.values {
                let deadline = entry.deadline.load(ordering: .relaxed)
                if deadline > 0, deadline < now { state.shutDown(entry) }
            }
        }
    }
}
