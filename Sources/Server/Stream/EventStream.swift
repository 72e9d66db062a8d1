import Model
import Service
import Synchronization

/// One open stream of events (Server-Sent Events; WHATWG HTML, 9.2).
///
/// It holds a place in the sequence of events and no queue of its own: while the reader keeps up, it is served from the event log,
/// else, when it begins, from the store. One that falls behind the log later is told where to resume, and dropped.
final class EventStream: ResponseSource {
    /// Which events are sent; nil means any.
    struct Filter: Sendable {
        var deviceId: String?
        var geofenceId: String?
        var types: Set<EventType>?
        /// Whether changes of problems, health, repairs and sinks are sent, too.
        var wantsNotices = false
        /// The language of the sentences in them.
        var language = Language.english
        /// Where devices are followed as they move; nil: nowhere.
        var area: LiveArea?

        func admits(_ event: Event) -> Bool {
            (deviceId == nil || event.deviceId == deviceId) && (geofenceId == nil || event.geofenceId == geofenceId)
                && (types?.contains(event.type) ?? true)
        }
    }

    private struct State {
        /// Text that has been begun. The connection is suspended for want of news.
        var buffer = SendBuffer(Array("retry: 3000\n: connected\n\n".utf8))
        /// Notices that wait to be sent.
        var notices: [UInt8] = []
        /// Positions that wait to be sent.
        var positions = PendingPositions()
        /// The last event that was sent or passed over.
        var last: Int64
        /// Whether it has once been served from the log.
        var isLive = false
        var isFetching = false
        var isEnding = false
        var isHeartbeatDue = false
    }

    private let state: Mutex<State>
    private let log: EventLog
    private let readers: Readers
    private let filter: Filter
    /// The id of the store's generation.
    private let generation: String
    private let expiresAt: Instant?
    private let streams: Streams
    let blockSize = 16_384

    /// - Parameters:
    ///   - last: The event after which it begins.
    ///   - generation: The id of the store's generation.
    ///   - expiresAt: When whoever reads it is no longer let in; nil: never.
    init(
        after last: Int64, of generation: String, _ filter: Filter, expiresAt: Instant?, log: EventLog, readers: Readers,
        streams: Streams
    ) {
        self.expiresAt = expiresAt
        self.generation = generation
        state = Mutex(State(last: last))
        self.filter = filter
        self.log = log
        self.readers = readers
        self.streams = streams
    }

    func begin(on connection: OpaquePointer) {
        state.withLock { unsafe $0.buffer.attach(to: connection) }
        streams.add(self, log)
    }

    func close() { streams.remove(self) }

    /// Gives the next bytes; without any, suspends the connection.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            while true {
                if let count = unsafe state.buffer.copyNext(into: buffer) { return count }
                state.buffer.clear()
                if state.isEnding { return SendBuffer.ended }
                if !state.notices.isEmpty {
                    swap(&state.buffer.bytes, &state.notices)
                    continue
                }
                if state.positions.write(into: &state.buffer.bytes) { continue }
                switch log.entries(after: state.last, limit: 128) {
                case .entries(let entries):
                    state.isLive = true
                    for entry in entries {
                        if filter.admits(entry.event) { write(entry, into: &state.buffer.bytes) }
                        state.last = entry.sequence
                    }
                    if !entries.isEmpty { continue }
                    if state.isHeartbeatDue {
                        state.isHeartbeatDue = false
                        state.buffer.bytes += Array(": still here\n\n".utf8)
                        continue
                    }
                case .behind where state.isLive:
                    streams.dropped.add()
                    end(&state, "the reader is too slow")
                    continue
                case .behind:
                    fetch(&state)
                }
                return state.buffer.suspend()
            }
        }
    }

    private func write(_ entry: EventLog.Entry, into text: inout [UInt8]) {
        text += "id: \(EventCursor(entry.sequence, of: generation))\nevent: \(entry.event.type.rawValue)\ndata: ".utf8
        text += entry.json.utf8
        text += "\n\n".utf8
    }

    private func end(_ state: inout State, _ reason: String) {
        state.isEnding = true
        let cursor = EventCursor(state.last, of: generation)
        state.buffer.bytes +=
            "event: end\ndata: {\"reason\":\"\(reason)\",\"resumeAfter\":\(state.last),\"cursor\":\"\(cursor)\"}\n\n".utf8
    }

    /// Asks the store for what comes next.
    private func fetch(_ state: inout State) {
        guard !state.isFetching else { return }
        let (last, filter, newest) = (state.last, filter, log.newest)
        state.isFetching = readers.submit(
            { service throws(Problem) -> (entries: [EventLog.Entry], last: Int64) in
                var wanted = Queries.EventFilter()
                wanted.after = last
                wanted.deviceId = filter.deviceId
                wanted.geofenceId = filter.geofenceId
                wanted.pageSize = 256
                let page = try service.page(of: wanted, filter, upTo: newest)
                return (page.events.map { EventLog.Entry($0) }, page.last)
            },
            { [self] result in
                self.state.withLock { state in
                    state.isFetching = false
                    switch result {
                    case .success(let page):
                        for entry in page.entries { write(entry, into: &state.buffer.bytes) }
                        state.last = max(state.last, page.last)
                    case .failure: end(&state, "the store cannot be read")
                    }
                    state.buffer.resume()
                }
            })
        if !state.isFetching { end(&state, "the service stops") }
    }

    func stopFollowing(_ follower: Int) { log.unfollow(follower) }

    /// Says that there may be news.
    func wake() {
        state.withLock { state in if !state.isFetching { state.buffer.resume() } }
    }

    /// Bytes of notices that may wait for a reader. They are told once: one that reads no longer misses some, and asks for the state
    /// when it comes again.
    private static let mostNotices = 1 << 20

    /// Sends notices, when they are wanted and about the stream's device.
    func tell(_ notices: [ServiceNotice]) {
        guard filter.wantsNotices else { return }
        state.withLock { state in
            for notice in notices where filter.deviceId == nil || filter.deviceId == notice.deviceId {
                guard state.notices.count < Self.mostNotices else { break }
                state.notices += "event: \(notice.kind.rawValue)\ndata: \(notice.json(in: filter.language))\n\n".utf8
            }
            if !state.notices.isEmpty, !state.isFetching { state.buffer.resume() }
        }
    }

    /// Whether it tells how devices move.
    var followsDevices: Bool { filter.area != nil }

    /// Sends where devices are now. A reader that is slow is told the newest position of each.
    func tell(_ positions: [LivePosition]) {
        guard let area = filter.area else { return }
        state.withLock { state in
            for position in positions where filter.deviceId == nil || filter.deviceId == position.deviceId {
                state.positions.add(position, in: area)
            }
            if !state.positions.isEmpty, !state.isFetching { state.buffer.resume() }
        }
    }

    /// Lets a stream without news show that it lives; one whose reader may no longer read ends.
    func heartbeat(at now: Instant) {
        if let expiresAt, now >= expiresAt { return end() }
        state.withLock { state in
            guard state.buffer.isSuspended, !state.isFetching else { return }
            state.isHeartbeatDue = true
            state.buffer.resume()
        }
    }

    /// Ends it, telling where to resume.
    func end() {
        state.withLock { state in
            guard !state.isEnding else { return }
            end(&state, "the service stops")
            state.buffer.resume()
        }
    }
}

extension Queries {
    /// A page of the events that a filter admits, and the number up to which it goes.
    ///
    /// - Parameter newest: The newest event that is told. Later ones may not be on the disk yet, and their numbers be given again.
    func page(
        of wanted: EventFilter, _ filter: EventStream.Filter, upTo newest: Int64
    ) throws(Problem) -> (events: [Event], last: Int64, isFull: Bool) {
        var wanted = wanted
        wanted.upTo = newest
        var events: [Event] = []
        var count = 0
        var last = wanted.after
        try forEachEvent(wanted) { event in
            count += 1
            last = event.sequence
            if filter.admits(event) { events.append(event) }
        }
        // A page that is not full goes up to the end as it was.
        let isFull = count == wanted.pageSize
        return (events, isFull ? last : max(last, newest), isFull)
    }
}
