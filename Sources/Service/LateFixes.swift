import Model
import Monitor
import Store
import Timeline

/// What replays came to.
public struct ReplayCounts: Hashable, Sendable {
    /// Devices whose fixes were judged anew.
    public var devices = 0
    /// Fixes that were judged anew.
    public var fixes = 0
    /// Events on record that a replay gave again.
    public var equal = 0
    /// Events that were taken back, and those that came instead.
    public var retracted = 0
    public var new = 0
    /// Devices that could not be replayed, because positions that it takes were removed, or never kept.
    public var passedOver = 0

    public init() {}

    public mutating func add(_ part: ReplayCounts) {
        devices += part.devices
        fixes += part.fixes
        equal += part.equal
        retracted += part.retracted
        new += part.new
        passedOver += part.passedOver
    }

    init(_ correction: Correction, fixes: Int) {
        devices = 1
        self.fixes = fixes
        equal = correction.equal
        retracted = correction.wrong.count
        new = correction.right.count
    }
}

/// The replay of a device, which goes on step by step.
struct OngoingReplay {
    var replay: DeviceReplay
    /// Whether somebody asked for it; else it is for late fixes.
    var isAsked: Bool
}

/// Which devices have late fixes that wait for a replay, and since when.
struct ReplayQueue {
    private var waiting: [DeviceKey: (first: Instant, last: Instant)] = [:]

    /// Seconds without another late fix after which a device is replayed, and the most that it waits after the first.
    private static let quiet = 2.0
    private static let longest = 30.0

    /// - Parameter devices: Those that wait from before, whose time has come.
    init(_ devices: [DeviceKey]) {
        for device in devices { waiting[device] = (.earliest, .earliest) }
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Notes that a late fix of a device has come.
    mutating func note(_ device: DeviceKey, at now: Instant) {
        waiting[device, default: (now, now)].last = now
    }

    mutating func remove(_ device: DeviceKey) { waiting[device] = nil }

    /// The device whose time has come first.
    ///
    /// - Parameter now: Nil when the time of all has come.
    func next(at now: Instant?) -> DeviceKey? {
        waiting.lazy.filter { _, wait in
            // A clock that steps back keeps nobody waiting.
            now.map { !(0..<Self.quiet).contains($0 - wait.last) || !(0..<Self.longest).contains($0 - wait.first) } ?? true
        }
        .min { ($0.value.first, $0.key) < ($1.value.first, $1.key) }?.key
    }
}

extension ServiceWriter {
    /// A fix that is older than its device's newest by at most so many seconds is replayed by itself.
    private static let lateWindow = 86_400.0

    // MARK: - What waits

    /// Takes note of a late fix that was stored.
    ///
    /// - Returns: Whether it waits until somebody asks for a replay, because it is too late for one by itself.
    func noteLate(_ fix: Fix, ofSlot slot: Int, at now: Instant) throws(Problem) -> Bool {
        let key = slots[slot].key
        interruptReplay(ofDevice: key)
        guard let newest = slots[slot].state.newest, keepsPositions(ofSlot: slot) else { return false }
        if newest.time - fix.time > Self.lateWindow { return true }
        try readReplays()
        try store.noteReplay(of: key, from: fix.time)
        replays?.note(key, at: now)
        return false
    }

    /// Notes that something else has become of a device than a replay that is under way may know of.
    func interruptReplay(ofDevice key: DeviceKey) {
        if ongoingReplay?.replay.stored.key == key { ongoingReplay = nil }
    }

    private func readReplays() throws(Problem) {
        if replays == nil { replays = ReplayQueue(try store.pendingReplays().map(\.device)) }
    }

    // MARK: - Replays by themselves

    /// What has come of a device that is done now, nil when none is; and whether there is more to do.
    public typealias LateReplayStep = (done: (counts: ReplayCounts, events: [Event])?, hasMore: Bool)

    /// Goes on with the replays of late fixes whose time has come: those of a device wait until none came for two seconds, at the
    /// longest thirty. To be called from time to time, and again at once as long as there is more.
    ///
    /// - Parameters:
    ///   - now: Nil when nothing is to be waited for.
    ///   - limit: The most fixes to judge; a thousand take some milliseconds.
    public func replayLate(
        at now: Instant?, limit: Int = 5000
    ) throws(Problem) -> LateReplayStep {
        try readReplays()
        // One that somebody asked for goes on by itself.
        if ongoingReplay?.isAsked == true { return (nil, false) }
        if ongoingReplay == nil {
            guard let key = replays?.next(at: now) else { return (nil, false) }
            guard let stored = try store.device(key: key), let from = try store.pendingReplay(of: key) else {
                replays?.remove(key)
                return (nil, true)
            }
            var supposition = DeviceReplay.ReplayOptions()
            // Those that were too late to be replayed by themselves go on waiting.
            supposition.lateFrom = from
            // Which rules a device of an earlier version was judged by, nobody knows.
            guard let replay = try beginReplay(of: stored, from: from, supposing: supposition),
                replay.start != nil || !replay.gaps.contains(.olderStore)
            else {
                return (try passOver(key, from: from), true)
            }
            ongoingReplay = OngoingReplay(replay: replay, isAsked: false)
        }
        guard let replay = ongoingReplay?.replay, let slot = try slot(of: replay.stored.device.id) else {
            ongoingReplay = nil
            return (nil, true)
        }
        do {
            guard try replay.judge(atMost: limit) else { return (nil, true) }
        } catch {
            ongoingReplay = nil
            throw error
        }
        ongoingReplay = nil
        let done = try transaction { () throws(Problem) in try correct(by: replay, slot) }
        return (done, replays?.next(at: now) != nil)
    }

    private func passOver(
        _ key: DeviceKey, from moment: Instant
    ) throws(Problem) -> (counts: ReplayCounts, events: [Event]) {
        try transaction { () throws(Problem) in try store.clearReplay(of: key, after: moment + -1) }
        replays?.remove(key)
        var counts = ReplayCounts()
        counts.passedOver = 1
        return (counts, [])
    }

    /// Whether a late fix is to be replayed now, and so many fixes are not in order that others would wait for it: then they should be put in
    /// order first.
    public func lateReplayNeedsOrder(at now: Instant) throws(Problem) -> Bool {
        try readReplays()
        if ongoingReplay == nil, replays?.next(at: now) == nil { return false }
        return try !canReadTracks()
    }

    /// Replays the late fixes of devices that wait; see `CommandBackend`.
    public func replayLate(all: Bool, _ told: ([Event]) -> Void) throws(Problem) -> ReplayCounts {
        var counts = ReplayCounts()
        while true {
            let step = try replayLate(at: all ? nil : clock.now(), limit: .max)
            if let done = step.done {
                counts.add(done.counts)
                told(done.events)
            }
            if !step.hasMore { return counts }
        }
    }

    // MARK: - One device

    /// Writes what a replay has found, within a transaction: for each wrong event an entry that takes it back, then the right ones
    /// with the cause `corrected`; the device's state and its checkpoints anew.
    func correct(
        by replay: DeviceReplay, _ slot: Int
    ) throws(Problem) -> (counts: ReplayCounts, events: [Event]) {
        let correction = try replay.correction()
        remember(slot)
        let (key, id) = (slots[slot].key, slots[slot].state.device.id)
        var sequence = try store.newestSequence()
        let now = clock.now()
        var events: [Event] = []
        func append(
            _ transition: Transition, _ geofence: Geofence?, _ revision: Int64, retracts: String? = nil
        ) throws(Problem) {
            sequence += 1
            events.append(
                try store.append(
                    transition, sequence: sequence, device: key, deviceId: id, geofence: geofence, revision: revision,
                    recordedAt: now, retracts: retracts))
        }
        for wrong in correction.wrong {
            let old = wrong.transition
            let geofence = try old.fence.flatMap { key throws(Problem) in try store.geofence(key, at: wrong.revision) }
            try append(
                Transition(
                    type: .retracted, fence: old.fence, occurredAt: old.occurredAt, confirmedAt: old.confirmedAt,
                    cause: .corrected, fix: old.fix), geofence, wrong.revision, retracts: wrong.id)
        }
        for right in correction.right {
            var transition = right.transition
            transition.cause = .corrected
            try append(transition, right.geofence, right.revision)
        }
        var state = replay.state
        state.lag = slots[slot].state.lag
        try store.add(.corrected, to: key)
        try store.replace(&state, of: key, applied: slots[slot].applied)
        slots[slot].state = state
        try save(slot)
        try keepCheckpoints(of: replay, slot)
        try store.noteReplayed(replay.lateFixes)
        try store.clearReplay(of: key, after: replay.start ?? .earliest)
        if try store.pendingReplay(of: key) == nil { replays?.remove(key) }
        publish(events)
        let judged = try judgeRules(
            ofSlot: slot, after: correction.wrong.map(\.transition) + correction.right.map(\.transition), cause: .corrected,
            at: now,
            sequence: &sequence)
        noteDeadline(slot)
        var counts = ReplayCounts(correction, fixes: replay.fixes)
        counts.retracted += judged.count { $0.type == .retracted }
        counts.new += judged.count { $0.type != .retracted }
        return (counts, events + judged)
    }

    // MARK: - Checkpoints

    /// Keeps a device's state before it judges a fix, unless something was decided since its newest that a replay from there would
    /// not know of.
    ///
    /// - Parameters:
    ///   - number: Of the fix.
    ///   - sequence: The number of the newest event.
    func keepCheckpoint(ofSlot slot: Int, before number: Int64, revision: Int64, sequence: Int64) throws(Problem) {
        guard keepsPositions(ofSlot: slot), let newest = slots[slot].state.newest?.time else { return }
        let key = slots[slot].key
        if !slots[slot].pace.isRead {
            slots[slot].pace.isRead = true
            if let last = try store.newestCheckpoint(of: key) {
                slots[slot].pace.note(last)
                return
            }
        }
        if let confirmed = try store.latestConfirmation(of: key), confirmed > newest { return }
        try store.put(
            .init(time: newest, revision: revision, sequence: sequence, next: number, state: slots[slot].state), of: key)
        slots[slot].pace.note(newest)
    }

    /// Keeps the checkpoints of a replay in place of those that it has overtaken.
    private func keepCheckpoints(of replay: DeviceReplay, _ slot: Int) throws(Problem) {
        let key = slots[slot].key
        try store.removeCheckpoints(of: key, after: replay.start ?? .earliest)
        slots[slot].pace = CheckpointSchedule(last: replay.checkpoints.last?.time ?? replay.start)
        if replay.checkpoints.isEmpty { return }
        let record = try store.decisions(of: key, after: replay.sequence).sorted {
            $0.transition.confirmedAt > $1.transition.confirmedAt
        }
        var next = 0
        var first = try store.newestSequence() + 1
        for var checkpoint in replay.checkpoints.reversed() {
            while next < record.count, record[next].transition.confirmedAt > checkpoint.time {
                first = min(first, record[next].sequence)
                next += 1
            }
            checkpoint.sequence = first - 1
            try store.put(checkpoint, of: key)
        }
    }
}
