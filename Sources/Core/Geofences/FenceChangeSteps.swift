import Model
import Monitor
import Store
import Synchronization
import Timeline

/// A change of the geofences that is applied to devices in steps, between which a service stores positions.
struct FenceChangeSteps {
    let change: FenceChange
    /// The value of `change.fences`.
    let fences: Set<FenceKey>
    /// The number of the change in the input log.
    let number: Int64
    /// The devices that the change may concern, in the order of their keys.
    let devices: [DeviceKey]
    /// The index of the next device in `devices`.
    var next = 0
    /// Gets the events.
    let following: FollowingEvents
}

/// The events of an edit that may be applied to devices in steps. They are complete when the edit's caller gets the result.
package final class FollowingEvents: Sendable {
    private let events = Mutex(BoundedList<Event>.noEvents)

    package init() {}

    /// The first events so far, sorted by number, and the number of all.
    package var all: BoundedList<Event> { events.withLock { $0 } }

    func append(_ new: [Event]) { events.withLock { $0 += new } }
}

extension ServiceWriter {
    /// The source of the problem that a change of the geofences could not be applied to a device.
    static let damagedDeviceSource = "store/device"
    /// The time after which a step of an edit of many devices ends, because others wait meanwhile. A device can have many events.
    package static let timeOfStep = Duration.milliseconds(5)

    /// Whether a change of the geofences is still to be applied to some devices.
    package var hasOpenFenceChange: Bool { openFenceChange != nil }

    /// Begins to apply a change of the geofences to many devices, within its transaction.
    package func beginFenceChange(
        _ change: FenceChange, number: Int64, devices: [DeviceKey], _ following: FollowingEvents,
        in transaction: borrowing Transaction
    ) throws(Problem) {
        try store.save(OpenFenceChange(number: number, last: DeviceKey(0)), in: transaction)
        openFenceChange = FenceChangeSteps(
            change: change, fences: change.fences, number: number, devices: devices.sorted(), following: following)
    }

    /// Applies the open change of the geofences to the next devices, in one transaction. A device whose data is damaged is left out, and the
    /// damage is recorded as a problem.
    package func continueFenceChange() throws(Problem) {
        var limit = devicesInStep
        while true {
            do throws(Problem) {
                return try continueFenceChange(atMost: limit)
            } catch {
                guard case .storeCorrupt = error else { throw error }
                // One device at a time finds the damaged one.
                if limit == 1 { return try continueFenceChange(atMost: 1, leavingOut: error) }
                limit = 1
            }
        }
    }

    /// - Parameter damage: Why the next device is left out; nil if it is not.
    private func continueFenceChange(atMost limit: Int, leavingOut damage: Problem? = nil) throws(Problem) {
        guard let open = openFenceChange else { return }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let end = ContinuousClock.now + Self.timeOfStep
            var next = open.next
            repeat {
                guard next < open.devices.count else { break }
                let key = open.devices[next]
                if case .storeCorrupt(let path, let details) = damage {
                    let damaged = Problem.storeCorrupt(path: path, details: "device number \(key.value): \(details)")
                    try record(damaged, source: Self.damagedDeviceSource, at: clock.now(), in: transaction)
                } else if let deviceIndex = try deviceIndex(of: key) {
                    try applyOpenFenceChange(toDeviceAt: deviceIndex, in: transaction)
                }
                next += 1
            } while next - open.next < limit && ContinuousClock.now < end
            let isDone = next == open.devices.count
            try store.save(isDone ? nil : OpenFenceChange(number: open.number, last: open.devices[next - 1]), in: transaction)
            if isDone { openFenceChange = nil } else { openFenceChange?.next = next }
        }
    }

    /// Applies the open change of the geofences to all devices that do not have it yet.
    package func completeFenceChange() throws(Problem) { while hasOpenFenceChange { try continueFenceChange() } }

    /// Applies the open change of the geofences to a device, unless it is applied already. Must be called within a transaction, before the
    /// device gets another input.
    package func applyOpenFenceChange(toDeviceAt deviceIndex: Int, in transaction: borrowing Transaction) throws(Problem) {
        guard let open = openFenceChange, loadedDevices[deviceIndex].applied < open.number else { return }
        guard open.change.mayConcern(loadedDevices[deviceIndex].state, open.fences) else {
            keepForUndo(deviceIndex)
            loadedDevices[deviceIndex].applied = open.number
            return
        }
        var sequence = try store.newestSequence()
        let events = try apply(
            open.change, number: open.number, toDeviceAt: deviceIndex, at: clock.now(), sequence: &sequence, in: transaction)
        effects.following.events += events
        effects.following.target = open.following
    }

    /// Reads the change of the geofences that an earlier process has not applied to all devices.
    func readOpenFenceChange() throws(Problem) {
        guard let open = try store.openFenceChange() else { return }
        let change = try FenceChange(store, at: store.fenceRevision(before: open.number + 1), policy: policy)
        openFenceChange = FenceChangeSteps(
            change: change, fences: change.fences, number: open.number, devices: try store.devices(without: open),
            following: FollowingEvents())
    }

    /// The index of the device with a key; nil if the device does not exist.
    package func deviceIndex(of key: DeviceKey) throws(Problem) -> Int? {
        if let deviceIndex = indicesByKey[key] { return deviceIndex }
        return try store.device(key: key).map { stored throws(Problem) in try addLoadedDevice(stored) }
    }
}

extension ServiceWriter {
    /// Applies a change of geofences to a device, and records the events that follow.
    ///
    /// - Parameters:
    ///   - number: The number of the change in the input log.
    ///   - sequence: The number of the newest event.
    package func apply(
        _ change: FenceChange, number: Int64, toDeviceAt deviceIndex: Int, at now: Instant, sequence: inout Int64,
        in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        let engine = try engine()
        var transitions: [Transition] = []
        keepForUndo(deviceIndex)
        loadedDevices[deviceIndex].applied = number
        engine.apply(change.input, to: &loadedDevices[deviceIndex].state, into: &transitions)
        var events = try record(transitions, of: deviceIndex, at: now, sequence: &sequence, in: transaction) {
            key throws(Problem) in
            // The transition of a geofence that did not change was already due.
            guard
                let deciding = change.decidingVersion(of: key)
                    ?? engine.fences.geofence(key).map({ ($0, engine.fences.revision) })
            else {
                throw .storeCorrupt(path: directory.storePath, details: "a transition names no geofence")
            }
            return deciding
        }
        events += try evaluateRules(ofDeviceAt: deviceIndex, after: transitions, at: now, sequence: &sequence, in: transaction)
        try saveState(deviceIndex, in: transaction)
        return events
    }
}
