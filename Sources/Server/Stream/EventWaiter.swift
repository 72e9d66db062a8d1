import Core
import Model
import Presence
import Routing
import Service
import Synchronization

/// A request for events that waits for the first one when there is none (long poll).
final class EventWaiter: Sendable {
    private struct State {
        var filter: Queries.EventFilter
        /// The number of the request's cursor in the current epoch.
        var start: Int64?
        var follower: Int?
        var isReading = false
        var isWoken = false
        var isAnswered = false
    }

    private let state: Mutex<State>
    private let api: API
    private let streamFilter: EventStream.Filter
    private let call: Call
    private let deadline: ContinuousClock.Instant
    private let reply = Mutex<Reply?>(nil)

    init(_ api: API, _ call: Call, filter: Queries.EventFilter, admits: EventStream.Filter, seconds: Double) {
        self.api = api
        self.call = call
        self.streamFilter = admits
        state = Mutex(State(filter: filter))
        deadline = ContinuousClock.now + .milliseconds(Int64(seconds * 1000))
    }

    /// Reads the events, and answers `reply` at once or later.
    func start(_ reply: Reply) -> Bool {
        self.reply.withLock { $0 = reply }
        if deadline > ContinuousClock.now {
            let follower = api.log.follow { [weak self] in self?.wake() }
            state.withLock { $0.follower = follower }
            api.waiters.add(self)
        }
        return readEvents()
    }

    private func readEvents() -> Bool {
        let filter = state.withLock { state in
            state.isReading = true
            return state.filter
        }
        let (call, admits, newest, epochs) = (call, streamFilter, api.log.newest, api.epochs)
        return call.readers.submit(
            for: call.client,
            { service throws(Problem) in
                try service.check(filter)
                var filter = filter
                try service.convertCursor(&filter)
                let list = try EventQuery.list(filter, admits, upTo: newest, of: service, epochs: epochs)
                return (start: filter.after, try list.first(of: service, after: nil))
            },
            { [self] result in
                switch result {
                case .failure(let problem): answer(.problem(problem))
                case .success(let (start, (piece, isEmpty))):
                    if !isEmpty { return answer(.pieces(piece, for: call)) }
                    let last = max(start, newest)
                    let first = state.withLock { state in
                        state.start = state.start ?? start
                        return state.start ?? start
                    }
                    if isLate { return answer(emptyPage(admits.scope == nil ? last : first)) }
                    let isWoken = state.withLock { state in
                        state.filter.cursor = api.epochs.cursor(last)
                        state.isReading = false
                        defer { state.isWoken = false }
                        return state.isWoken
                    }
                    if isWoken { wake() }
                }
            })
    }

    private var isLate: Bool { ContinuousClock.now >= deadline }

    /// A page without events. A client passes `next` or `cursor` as `after` for later events.
    private func emptyPage(_ last: Int64) -> Response {
        .json(.object([.init("events", .array([]))] + api.epochs.members(ofPageUpTo: last)))
    }

    private func wake() {
        let asks = state.withLock { state in
            if state.isAnswered { return false }
            if state.isReading {
                state.isWoken = true
                return false
            }
            state.isReading = true
            return true
        }
        if asks, !readEvents() { answer(.problem(.cancelled)) }
    }

    /// Answers when the time is over or the client has disconnected. Called about once a second.
    func tick() {
        if call.client.hasLeft() { return answer(.problem(.cancelled)) }
        if isLate { wake() }
    }

    /// Answers now.
    func end() {
        answer(emptyPage(state.withLock { streamFilter.scope == nil ? $0.filter.after : $0.start ?? $0.filter.after }))
    }

    private func answer(_ response: Response) {
        let (isFirst, follower) = state.withLock { state in
            defer { state.isAnswered = true }
            return (!state.isAnswered, state.follower)
        }
        guard isFirst else { return }
        if let follower {
            api.log.unfollow(follower)
            api.waiters.remove(self)
        }
        reply.withLock { $0 }?(response)
    }
}

/// All requests that wait for events.
final class EventWaiters: Sendable {
    private let open = Mutex<[ObjectIdentifier: EventWaiter]>([:])

    private let isEnding = Atomic<Bool>(false)

    func add(_ waiter: EventWaiter) {
        open.withLock { $0[ObjectIdentifier(waiter)] = waiter }
        if isEnding.load(ordering: .sequentiallyConsistent) { waiter.end() }
    }
    func remove(_ waiter: EventWaiter) { _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(waiter)) } }

    func tick() { for waiter in all() { waiter.tick() } }
    /// Answers all waiting requests. New ones may follow.
    func renew() { for waiter in all() { waiter.end() } }

    /// Answers all waiting requests, and from now on new ones at once.
    func end() {
        isEnding.store(true, ordering: .sequentiallyConsistent)
        renew()
    }

    private func all() -> [EventWaiter] { open.withLock { Array($0.values) } }
}
