import Model
import Monitor
import Store

// Time that passes without a fix: what a running service does by the clock, and at a sign of life.

extension ServiceWriter {
    /// When a device may have something to tell though nothing comes from it; nil when none ever will. `fireDeadlines` before this
    /// moment does nothing.
    ///
    /// - Complexity: O(1), but for the first time and after geofences or devices were changed: then all devices are read.
    public func nextDeadline() throws(Problem) -> Instant? { try readDeadlines().next }

    /// Lets time pass for devices of which something falls due before `now`: confirmations, dwells, silence, rules. Their states and the
    /// events are stored in one transaction.
    ///
    /// They fire in the device's own time, which is behind the clock by the age that its newest fix had when it came: a phone that
    /// sends what it has stored for hours is not overtaken by the clock. Rules are judged by the clock itself, unless the device lives in
    /// a recording that is more than a day old.
    ///
    /// A fix that comes later and is older than a deadline that has fired is late. A clock that steps back fires nothing twice.
    ///
    /// - Parameter limit: At most so many devices are looked at (200 that have something to tell take some 10 ms); while
    ///   `nextDeadline()` is before `now` there is more to do.
    public func fireDeadlines(upTo now: Instant, limit: Int = 200) throws(Problem) -> [Event] {
        guard let next = try nextDeadline(), next < now else { return [] }
        return try transaction { () throws(Problem) in try fire(upTo: now, limit: limit) }
    }

    /// What `fireDeadlines` does, within a transaction. It numbers its events
    /// after the newest in the store, so whoever counts on from there has to ask anew.
    func fire(upTo now: Instant, limit: Int) throws(Problem) -> [Event] {
        var events: [Event] = []
        try readDeadlines()
        for _ in 0..<limit {
            guard let key = deadlines?.popDevice(before: now) else { break }
            undo?.deadlines.append(key)
            guard let stored = try store.device(key: key), let slot = try slot(of: stored.device.id) else { continue }
            let ownNow = now + -slots[slot].state.lag
            if let deadline = slots[slot].state.deadline, deadline < ownNow {
                events += try apply(.clock(ownNow), toSlot: slot, at: now)
            }
            events += try judgeRules(ofSlot: slot, byClock: now)
            noteDeadline(slot)
        }
        return events
    }

    /// Takes note that a device was alive at a moment, though it said nothing of where it is: `returned`, when it was silent.
    ///
    /// A device that nobody knows is not made of it, and one that has sent no fix yet has no silence to end: nothing follows.
    ///
    /// - Parameter moment: When it was heard, by the service's clock.
    @discardableResult
    public func noteLife(deviceId: String, at moment: Instant) throws(Problem) -> [Event] {
        try transaction { () throws(Problem) in try hear(deviceId: deviceId, at: moment) }
    }

    /// What `noteLife` does, within a transaction.
    func hear(deviceId: String, at moment: Instant) throws(Problem) -> [Event] {
        guard let slot = try slot(of: deviceId) else { return [] }
        return try apply(.life(moment + -slots[slot].state.lag), toSlot: slot)
    }

    /// Stores what has changed of a device's state, and when it has to be looked at without a fix.
    func save(_ slot: Int) throws(Problem) {
        remember(slot)
        slots[slot].isBehind = false
        try store.save(&slots[slot].state, of: slots[slot].key, applied: slots[slot].applied)
        try saveSeen(slot)
        noteDeadline(slot)
    }

    /// Takes a device out of the queue of deadlines, before one is noted that may be later.
    func forgetDeadline(of key: DeviceKey) {
        undo?.deadlines.append(key)
        deadlines?.remove(key)
    }

    /// Notes when, by the clock, a device has to be looked at without a fix.
    func noteDeadline(_ slot: Int) {
        guard deadlines != nil else { return }
        deadlines?.note(slots[slot].deadline(), of: slots[slot].key)
        if slots[slot].hasRules { deadlines?.note(ruleDeadline(ofSlot: slot), of: slots[slot].key) }
    }

    @discardableResult
    private func readDeadlines() throws(Problem) -> DeadlineQueue {
        if let deadlines { return deadlines }
        var queue = DeadlineQueue()
        try store.forEachDeadline { key, deadline in queue.note(deadline, of: key) }
        for (key, entries) in try ruleBook().entries {
            guard let due = entries.compactMap(\.nextDue).min() else { continue }
            queue.note(due + ruleLag(try store.lag(of: key)), of: key)
        }
        deadlines = queue
        return queue
    }
}
