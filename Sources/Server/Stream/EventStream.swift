import Core
import Model
import Presence
import Routing
import Service
import Synchronization

/// One open stream of events (Server-Sent Events; WHATWG HTML, 9.2).
///
/// A stream stores a position in the sequence of events, but no queue of events. At its beginning, events are read from the store until the
/// event log has the next one; from then on they come from the log. A stream that falls behind the log later is ended, and the client is
/// sent the position at which to resume.
final class EventStream: ResponseSource {
    /// The events to send; nil values match all.
    struct Filter: Sendable {
        var deviceId: String?
        /// Only events of these geofences; empty for all.
        var geofenceIds: [String] = []
        var types: Set<EventType>?
        /// The devices that exist for the client; nil for all.
        var scope: DeviceScope?
        /// Whether to also send changes of problems, health, repairs and sinks.
        var wantsNotices = false
        /// The language of the sentences in them.
        var language = Language.english
        /// The area in which the positions of devices are sent; nil for none.
        var area: LiveArea?

        /// Whether an event matches, apart from the scope.
        func admits(_ event: Event) -> Bool {
            (deviceId == nil || event.deviceId == deviceId)
                && (geofenceIds.isEmpty || geofenceIds.contains(event.geofenceId ?? ""))
                && (types?.contains(event.type) ?? true)
        }
    }

    /// The event with which a stream begins, and that an idle stream sends every 15 seconds. A comment would not be visible to
    /// the scripts of a page, which have to notice when a service or a proxy sends nothing anymore.
    private static let heartbeat = Array("event: heartbeat\ndata: {}\n\n".utf8)

    /// Why a stream ends, as its last event says.
    enum EndReason: String {
        case serviceStops = "the service is stopping"
        case tokenRevoked = "the token was revoked"
        case tokenExpired = "the token has expired"
        case accessChanged = "the access rules of the service have changed; connect again"
        case tooSlow = "the reader is too slow"
        case storeUnreadable = "the store cannot be read"
    }

    private struct State {
        /// The bytes being sent. The connection is paused while there are none.
        var buffer = SendBuffer(Array("retry: 3000\n".utf8) + EventStream.heartbeat)
        /// Notices to be sent.
        var notices: [UInt8] = []
        /// Positions to be sent.
        var positions = PendingPositions()
        /// The number of the last event that was sent or skipped.
        var last: Int64
        /// The number after which the client is asked to resume; nil if it would reveal events that the client may not see.
        var resumeAfter: Int64?
        /// Whether events have been read from the log.
        var isLive = false
        var isFetching = false
        var isEnding = false
        var isHeartbeatDue = false
    }

    private let state: Mutex<State>
    private let log: EventLog
    private let readers: Readers
    private let client: QueryClient
    private let filter: Filter
    /// The id of the store's epoch.
    private let epoch: String
    /// The id of the client's token; nil if it has none.
    let tokenID: String?
    private let expiresAt: Instant?
    private let streams: Streams
    private let groups: DeviceGroups
    let blockSize = 16_384
    var heldBytes: Int { blockSize }

    /// - Parameters:
    ///   - last: The number of the event after which the stream begins.
    ///   - epoch: The id of the store's epoch.
    ///   - isResumed: Whether the client has said where the stream begins.
    ///   - tokenID: The id of the client's token; nil if it has none.
    ///   - expiresAt: When the client's token expires; nil for never.
    ///   - groups: Decides at each event which devices exist for the client.
    init(
        after last: Int64, of epoch: String, _ filter: Filter, isResumed: Bool, tokenID: String?, expiresAt: Instant?,
        log: EventLog,
        readers: Readers, client: QueryClient, streams: Streams, groups: DeviceGroups
    ) {
        self.client = client
        self.groups = groups
        self.tokenID = tokenID
        self.expiresAt = expiresAt
        self.epoch = epoch
        state = Mutex(State(last: last, resumeAfter: filter.scope == nil || isResumed ? last : nil))
        self.filter = filter
        self.log = log
        self.readers = readers
        self.streams = streams
    }

    func begin(on connection: any PausableConnection) {
        state.withLock { $0.buffer.attach(to: connection) }
        streams.add(self, log)
    }

    func close() { streams.remove(self) }

    /// Copies the next bytes into `buffer`, or pauses the connection when there are none.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> ResponsePart {
        state.withLock { state in
            while true {
                if let part = unsafe state.buffer.copyNext(into: buffer) { return part }
                state.buffer.clear()
                if state.isEnding { return .ended }
                if !state.notices.isEmpty {
                    swap(&state.buffer.bytes, &state.notices)
                    continue
                }
                if state.positions.write(into: &state.buffer.bytes) { continue }
                switch log.entries(after: state.last, limit: 128) {
                case .entries(let entries):
                    state.isLive = true
                    for entry in entries {
                        if filter.admits(entry.event) { write(entry, into: &state) }
                        skip(to: entry.sequence, &state)
                    }
                    if !entries.isEmpty { continue }
                    if state.isHeartbeatDue {
                        state.isHeartbeatDue = false
                        state.buffer.bytes += Self.heartbeat
                        continue
                    }
                case .readFromStore where state.isLive:
                    streams.dropped.add()
                    end(&state, .tooSlow)
                    continue
                case .readFromStore:
                    fetch(&state)
                }
                return state.buffer.pause()
            }
        }
    }

    private func isVisible(_ device: String) -> Bool { groups.isVisible(device, to: filter.scope) }

    /// Records that the events up to a number were sent, or are not for the client.
    private func skip(to sequence: Int64, _ state: inout State) {
        state.last = max(state.last, sequence)
        // A number that grows with events of other devices would reveal them.
        if filter.scope == nil { state.resumeAfter = state.last }
    }

    private func write(_ entry: EventLog.EncodedEvent, into state: inout State) {
        // The device may have left the token's scope since the event.
        guard isVisible(entry.event.deviceId) else { return }
        state.resumeAfter = entry.sequence
        state.buffer.bytes +=
            "id: \(EventCursor(entry.sequence, of: epoch))\nevent: \(entry.event.type.rawValue)\ndata: ".utf8
        state.buffer.bytes += entry.json.utf8
        state.buffer.bytes += "\n\n".utf8
    }

    private func end(_ state: inout State, _ reason: EndReason) {
        state.isEnding = true
        let place = state.resumeAfter.map {
            ",\"resumeAfter\":\($0),\"cursor\":\"\(EventCursor($0, of: epoch))\""
        }
        state.buffer.bytes += "event: end\ndata: {\"reason\":\"\(reason.rawValue)\"\(place ?? "")}\n\n".utf8
    }

    /// Reads the next events from the store.
    private func fetch(_ state: inout State) {
        guard !state.isFetching else { return }
        let (last, filter, newest) = (state.last, filter, log.newest)
        state.isFetching = readers.submit(
            for: client,
            { service throws(Problem) -> (entries: [EventLog.EncodedEvent], last: Int64) in
                var wanted = Queries.EventFilter(deviceId: filter.deviceId, geofenceIds: filter.geofenceIds)
                wanted.after = last
                wanted.pageSize = 256
                let page = try service.page(of: wanted, filter, upTo: newest)
                return (page.events.map { EventLog.EncodedEvent($0) }, page.last)
            },
            { [self] result in
                self.state.withLock { state in
                    state.isFetching = false
                    switch result {
                    case .success(let page):
                        for entry in page.entries { write(entry, into: &state) }
                        skip(to: page.last, &state)
                    case .failure: end(&state, .storeUnreadable)
                    }
                    state.buffer.resume()
                }
            })
        if !state.isFetching { end(&state, .serviceStops) }
    }

    func stopFollowing(_ follower: Int) { log.unfollow(follower) }

    /// Resumes the stream, because there may be new events.
    func wake() {
        state.withLock { state in if !state.isFetching { state.buffer.resume() } }
    }

    /// The maximum number of bytes of waiting notices. Notices are sent once: a client that stops reading misses some, and has to request
    /// the state when it reconnects.
    private static let maximumNoticeBytes = 1 << 20

    /// Sends notices, if the client wants them and they concern the stream's device.
    func sendNotices(_ notices: [ServiceNotice]) {
        guard filter.wantsNotices else { return }
        state.withLock { state in
            for notice in notices where admits(notice) {
                guard state.notices.count < Self.maximumNoticeBytes else { break }
                state.notices += "event: \(notice.kind.rawValue)\ndata: \(notice.json(in: filter.language))\n\n".utf8
            }
            if !state.notices.isEmpty, !state.isFetching { state.buffer.resume() }
        }
    }

    private func admits(_ notice: ServiceNotice) -> Bool {
        if filter.scope != nil {
            // A notice without a device concerns the whole service, which includes devices that do not exist for the client.
            guard let device = notice.deviceId, isVisible(device) else { return false }
        }
        return filter.deviceId == nil || filter.deviceId == notice.deviceId
    }

    /// Whether the stream sends positions of devices.
    var followsDevices: Bool { filter.area != nil }

    /// Sends the current positions of devices. A slow client receives only the newest position of each.
    func sendPositions(_ positions: [LivePosition]) {
        guard let area = filter.area else { return }
        state.withLock { state in
            for position in positions
            where (filter.deviceId == nil || filter.deviceId == position.deviceId) && isVisible(position.deviceId) {
                state.positions.add(position, in: area)
            }
            if !state.positions.isEmpty, !state.isFetching { state.buffer.resume() }
        }
    }

    /// Sends a heartbeat if the stream is idle, and ends a stream whose token has expired.
    func heartbeat(at now: Instant) {
        if let expiresAt, now >= expiresAt { return end(.tokenExpired) }
        state.withLock { state in
            guard state.buffer.isPaused, !state.isFetching else { return }
            state.isHeartbeatDue = true
            state.buffer.resume()
        }
    }

    /// Ends the stream if its client has disconnected, which libmicrohttpd does not notice while the stream is paused.
    func endIfAbandoned() {
        guard client.hasLeft() else { return }
        state.withLock { state in
            state.isEnding = true
            state.buffer.clear()
            state.buffer.resume()
        }
    }

    /// Ends the stream with a message on why, and where to resume.
    func end(_ reason: EndReason) {
        state.withLock { state in
            guard !state.isEnding else { return }
            end(&state, reason)
            state.buffer.resume()
        }
    }
}

extension Queries {
    /// A page of the events that a filter admits, and the number up to which the events were examined. The page is full as long as there
    /// are enough such events.
    ///
    /// - Parameter newest: The newest event number to send. Events with higher numbers may not be on disk yet, and a crash would free their
    ///   numbers.
    func page(
        of wanted: EventFilter, _ filter: EventStream.Filter, upTo newest: Int64
    ) throws(Problem) -> (events: [Event], last: Int64) {
        var wanted = wanted
        wanted.upTo = newest
        wanted.types = filter.types
        var events: [Event] = []
        try forEachEvent(wanted) { events.append($0) }
        let last = events.last?.sequence ?? wanted.after
        // A page that is not full reaches the end of the events.
        return (events, events.count == wanted.pageSize ? last : max(last, newest))
    }
}
