import Model
import Observability
import Service
import Synchronization

/// All open streams.
final class Streams: Sendable {
    private struct State {
        var open: [ObjectIdentifier: (stream: EventStream, follower: Int)] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())
    /// How many streams tell how devices move.
    private let deviceFollowers = Atomic<Int>(0)
    /// So many may be open at a time.
    static let most = 4000

    var count: Int { state.withLock { $0.open.count } }
    /// Those that were dropped because their readers were too slow.
    let dropped: Counter

    init(dropped: Counter) { self.dropped = dropped }

    /// Follows the log for a stream.
    func add(_ stream: EventStream, _ log: EventLog) {
        if stream.followsDevices { deviceFollowers.add(1, ordering: .relaxed) }
        let follower = log.follow { [weak stream] in stream?.wake() }
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(stream)] = (stream, follower)
            return state.isStopping
        }
        if isStopping { stream.end() }
    }

    func remove(_ stream: EventStream) {
        let removed = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(stream)) }
        guard let removed else { return }
        stream.stopFollowing(removed.follower)
        if stream.followsDevices { deviceFollowers.subtract(1, ordering: .relaxed) }
    }

    /// Whether some stream tells how devices move.
    var followsDevices: Bool { deviceFollowers.load(ordering: .relaxed) > 0 }

    /// Sends where devices are now to the streams that tell it.
    func tell(_ positions: [LivePosition]) {
        for stream in all() where stream.followsDevices { stream.tell(positions) }
    }

    /// Sends notices on those that want them.
    func tell(_ notices: [ServiceNotice]) { for stream in all() { stream.tell(notices) } }

    /// Shows on all of them that the service lives. To be called each fifteen seconds.
    func heartbeat(at now: Instant) {
        for stream in all() { stream.heartbeat(at: now) }
    }

    /// Ends all of them, and those that are still to come.
    func end() {
        state.withLock { $0.isStopping = true }
        for stream in all() { stream.end() }
    }

    /// Ends those that are open; they may come again.
    func renew() { for stream in all() { stream.end() } }

    private func all() -> [EventStream] { state.withLock { $0.open.values.map(\.stream) } }
}
