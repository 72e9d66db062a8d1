import Core
import Model
import Observability
import Presence
import Service
import Synchronization

/// All open streams of events.
final class Streams: Sendable {
    private struct State {
        var open: [ObjectIdentifier: (stream: EventStream, follower: Int)] = [:]
        var isStopping = false
    }

    private let state = Mutex(State())
    private let isAccepted = Mutex<@Sendable (String?) -> Bool>({ _ in true })
    /// The number of streams that send positions of devices.
    private let deviceFollowers = Atomic<Int>(0)
    /// The maximum number of open streams.
    static let maximumStreams = 4000

    var count: Int { state.withLock { $0.open.count } }
    /// Counts the streams that were dropped because their clients were too slow.
    let dropped: Counter

    init(dropped: Counter) { self.dropped = dropped }

    /// Decides from now on, when a stream is added, whether its token still gives access.
    ///
    /// - Parameter isAccepted: Receives the id of the token; nil for a stream without one.
    func checkTokens(_ isAccepted: @escaping @Sendable (_ tokenID: String?) -> Bool) {
        self.isAccepted.withLock { $0 = isAccepted }
    }

    /// Adds a stream, which is woken by new entries of the log. It ends at once if its token was revoked since the request was authenticated.
    func add(_ stream: EventStream, _ log: EventLog) {
        if stream.followsDevices { deviceFollowers.add(1, ordering: .relaxed) }
        let follower = log.follow { [weak stream] in stream?.wake() }
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(stream)] = (stream, follower)
            return state.isStopping
        }
        if isStopping { return stream.end(.serviceStops) }
        // A revocation after this check finds the stream among the open ones.
        let accepts = isAccepted.withLock { $0 }
        if !accepts(stream.tokenID) { stream.end(stream.tokenID == nil ? .accessChanged : .tokenRevoked) }
    }

    func remove(_ stream: EventStream) {
        let removed = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(stream)) }
        guard let removed else { return }
        stream.stopFollowing(removed.follower)
        if stream.followsDevices { deviceFollowers.subtract(1, ordering: .relaxed) }
    }

    /// Whether any stream sends positions of devices.
    var followsDevices: Bool { deviceFollowers.load(ordering: .relaxed) > 0 }

    /// Sends the current positions of devices to the streams that want them.
    func sendPositions(_ positions: [LivePosition]) {
        for stream in all() where stream.followsDevices { stream.sendPositions(positions) }
    }

    /// Sends notices to the streams that want them.
    func sendNotices(_ notices: [ServiceNotice]) { for stream in all() { stream.sendNotices(notices) } }

    /// Ends the streams whose clients have disconnected. Called about once a second.
    func endAbandoned() { for stream in all() { stream.endIfAbandoned() } }

    /// Sends a heartbeat on idle streams. Called every 15 seconds.
    func heartbeat(at now: Instant) {
        for stream in all() { stream.heartbeat(at: now) }
    }

    /// Ends all streams, and from now on new ones at once.
    func end() {
        state.withLock { $0.isStopping = true }
        for stream in all() { stream.end(.serviceStops) }
    }

    /// Ends all open streams. Clients may reconnect.
    ///
    /// - Parameter isAccepted: Whether the token with an id still gives access.
    func endOpenStreams(isAccepted: (_ tokenID: String) -> Bool) {
        for stream in all() { stream.end(stream.tokenID.map(isAccepted) ?? true ? .accessChanged : .tokenRevoked) }
    }

    private func all() -> [EventStream] { state.withLock { $0.open.values.map(\.stream) } }
}
