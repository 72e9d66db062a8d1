import Model
import Monitor
import Store

// What happens without a fix: deadlines that the clock of a running service fires, and signs of life.

extension ServiceWriter {
    /// The earliest moment at which a device may produce an event without further input; nil if there is none. `fireDeadlines` does nothing
    /// before this moment.
    ///
    /// - Complexity: O(1). On the first call, and after geofences or devices were changed, all devices are read.
    package func nextDeadline() throws(Problem) -> Instant? { try readDeadlines().next }

    /// Fires the deadlines before `now`: confirmations, dwells, silence, and rules. The new states and events are stored in one
    /// transaction.
    ///
    /// Deadlines fire in the device's own time, which is behind the clock by the age that its newest fix had on arrival. This way the clock
    /// does not overtake a phone that sends fixes it has stored for hours. Rules are evaluated by the clock itself, unless the device's
    /// positions come from a recording that is more than a day old.
    ///
    /// While no service listened, a device may have stored its fixes, so nothing follows from its silence in that time. A device
    /// therefore becomes silent by the clock only when its `silentAfter` has also passed since the service's start
    /// (`listeningSince`), by a clock that cannot be set. The event nevertheless has the time of its deadline.
    ///
    /// A fix that arrives later and is older than a fired deadline is late. If the clock is set back, nothing is fired twice. The input log
    /// gets the moment after the last deadline, not that of the clock: fixes between these moments may still arrive, and a replay evaluates
    /// them after this entry.
    ///
    /// While `nextDeadline()` is before `now`, more work remains.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of devices to process.
    ///   - duration: The time after which no further device is processed, because others wait; nil for no limit.
    package func fireDeadlines(
        upTo now: Instant, limit: Int = 200, within duration: Duration? = nil
    ) throws(Problem) -> [Event] {
        followClock(at: now)
        guard let next = try nextDeadline(), next < now else { return [] }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try fireDeadlines(upTo: now, limit: limit, within: duration, in: transaction)
        }
    }

    /// Fires deadlines like `fireDeadlines(upTo:limit:within:)`, within a transaction.
    func fireDeadlines(
        upTo now: Instant, limit: Int, within duration: Duration? = nil, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        var events: [Event] = []
        try readDeadlines()
        var processed = 0
        // A device whose new rule concerns years can have many events.
        let end = duration.map { ContinuousClock.now + $0 }
        while processed < limit, processed == 0 || end.map({ ContinuousClock.now < $0 }) ?? true,
            let moment = deadlines?.next, let key = deadlines?.popDevice(before: now)
        {
            undo?.deadlines.append(key)
            guard let stored = try store.device(key: key), let deviceIndex = try deviceIndex(of: stored.device.id) else {
                continue
            }
            // The queue may have an earlier moment than the device's deadline. Devices fire in the order of their deadlines, as in a
            // service that has just read them from the store.
            if let due = nextDeadline(ofDeviceAt: deviceIndex), moment < due, due < now {
                scheduleDeadline(deviceIndex)
                continue
            }
            processed += 1
            let passable = loadedDevices[deviceIndex].deadlineLimit(at: now, listeningSince: listeningSince)
            if let passed = try engine().momentAfterDeadlines(before: passable, of: loadedDevices[deviceIndex].state) {
                events += try apply(.clock(passed), toDeviceAt: deviceIndex, at: now, in: transaction)
            }
            events += try evaluateRules(ofDeviceAt: deviceIndex, byClock: now, in: transaction)
            scheduleDeadline(deviceIndex)
        }
        return events
    }

    /// Records that a device was alive at a moment without sending a position. If the device was silent, it produces the event `returned`.
    ///
    /// An unknown device is not created, and a device without a fix produces no event.
    ///
    /// - Parameter moment: The time of the sign of life by the service's clock.
    @discardableResult
    package func recordSignOfLife(
        deviceId: String, at moment: Instant, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        guard let deviceIndex = try deviceIndex(of: deviceId) else { return [] }
        return try apply(.signOfLife(moment + -loadedDevices[deviceIndex].state.lag), toDeviceAt: deviceIndex, in: transaction)
    }

    /// Stores the changed state of a device, and schedules its next deadline.
    package func save(_ deviceIndex: Int, in transaction: borrowing Transaction) throws(Problem) {
        keepForUndo(deviceIndex)
        loadedDevices[deviceIndex].isBehind = false
        try store.save(
            &loadedDevices[deviceIndex].state, of: loadedDevices[deviceIndex].key, applied: loadedDevices[deviceIndex].applied,
            in: transaction)
        try saveSeen(deviceIndex, in: transaction)
        scheduleDeadline(deviceIndex)
    }

    /// Removes a device from the deadline queue, so that a later deadline can be scheduled.
    package func unscheduleDeadline(of key: DeviceKey) {
        undo?.deadlines.append(key)
        deadlines?.remove(key)
    }

    /// Schedules a device's deadlines, in the clock's time.
    package func scheduleDeadline(_ deviceIndex: Int) {
        guard deadlines != nil else { return }
        deadlines?.schedule(nextDeadline(ofDeviceAt: deviceIndex), of: loadedDevices[deviceIndex].key)
    }

    /// The earliest of a device's deadlines, including those of its rules, in the clock's time.
    private func nextDeadline(ofDeviceAt deviceIndex: Int) -> Instant? {
        let deadline = loadedDevices[deviceIndex].deadline(listeningSince: listeningSince)
        guard loadedDevices[deviceIndex].hasRules, let rule = ruleDeadline(ofDeviceAt: deviceIndex) else { return deadline }
        return deadline.map { min($0, rule) } ?? rule
    }

    @discardableResult
    private func readDeadlines() throws(Problem) -> DeadlineQueue {
        if let deadlines { return deadlines }
        var queue = DeadlineQueue()
        try store.forEachDeadline { key, deadline in queue.schedule(deadline, of: key) }
        for (key, entries) in try ruleBook().entries {
            guard let due = entries.compactMap(\.nextDue).min() else { continue }
            queue.schedule(due + ruleLag(try store.lag(of: key)), of: key)
        }
        deadlines = queue
        return queue
    }
}
