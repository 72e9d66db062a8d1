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
    /// Devices after that to which the change is applied already, because they had another input.
    var ahead: Set<DeviceKey> = []
    /// Gets the events.
    let events: FollowingEvents

    init(_ change: FenceChange, number: Int64, devices: [DeviceKey], _ events: FollowingEvents) {
        self.change = change
        self.number = number
        self.devices = devices
        self.events = events
        fences = change.fences
    }

    /// Whether the change is still to be applied to a device.
    func isOpen(for key: DeviceKey) -> Bool {
        var (low, high) = (next, devices.count)
        while low < high {
            let middle = (low + high) / 2
            if devices[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < devices.count && devices[low] == key && !ahead.contains(key)
    }
}

/// The events of an edit that is applied to devices in steps. They are complete when the edit's caller gets the result.
package final class FollowingEvents: Sendable {
    private let events = Mutex<[Event]>([])

    package init() {}

    /// The events so far, sorted by number.
    package var all: [Event] { events.withLock { $0 } }

    func append(_ new: [Event]) { events.withLock { $0 += new } }
}

extension ServiceWriter {
    /// The time after which a step of a change of the geofences ends, because others wait meanwhile. A device can have many events.
    private static let timeOfStep = Duration.milliseconds(5)

    /// Whether a change of the geofences is still to be applied to some devices.
    var hasOpenFenceChange: Bool { openFenceChange != nil }

    /// Begins to apply a change of the geofences to many devices, within its transaction.
    func beginFenceChange(_ change: FenceChange, number: Int64, devices: [DeviceKey], _ events: FollowingEvents) throws(Problem) {
        try store.save(
            OpenFenceChange(number: number, revision: change.revision, last: DeviceKey(0), newest: store.newestDevice()))
        openFenceChange = FenceChangeSteps(change, number: number, devices: devices.sorted(), events)
    }

    /// Applies the open change of the geofences to the next devices, in one transaction.
    func continueFenceChange() throws(Problem) {
        guard openFenceChange != nil else { return }
        try transaction(ofFenceChange: true) { () throws(Problem) in
            let end = ContinuousClock.now + Self.timeOfStep
            var left = devicesInStep
            while let open = openFenceChange, open.next < open.devices.count {
                let key = open.devices[open.next]
                if open.isOpen(for: key), let slot = try slot(of: key) {
                    try apply(open, toSlot: slot)
                    left -= 1
                }
                openFenceChange?.next += 1
                if left == 0 || ContinuousClock.now > end { break }
            }
            guard let open = openFenceChange else { return }
            if open.next == open.devices.count {
                try store.closeFenceChange()
                openFenceChange = nil
            } else {
                try store.saveOpenFenceChange(upTo: open.devices[open.next - 1])
            }
        }
    }

    /// Applies the open change of the geofences to all devices that do not have it yet.
    func completeFenceChange() throws(Problem) { while hasOpenFenceChange { try continueFenceChange() } }

    /// Applies the open change of the geofences to a device, if it concerns the device and is not applied yet. Must be called within a
    /// transaction, before the device gets another input that is stored.
    func applyOpenFenceChange(toSlot slot: Int) throws(Problem) {
        guard let open = openFenceChange, open.isOpen(for: slots[slot].key) else { return }
        openFenceChange?.ahead.insert(slots[slot].key)
        try apply(open, toSlot: slot)
    }

    private func apply(_ open: FenceChangeSteps, toSlot slot: Int) throws(Problem) {
        guard open.change.mayConcern(slots[slot].state, open.fences) else { return }
        var sequence = try store.newestSequence()
        let events = try apply(open.change, number: open.number, toSlot: slot, at: clock.now(), sequence: &sequence)
        unpublishedFollowing.events += events
        unpublishedFollowing.target = open.events
    }

    /// Reads the change of the geofences that an earlier process has not applied to all devices.
    func readOpenFenceChange() throws(Problem) {
        guard let open = try store.openFenceChange() else { return }
        openFenceChange = FenceChangeSteps(
            try FenceChange(store, at: open.revision, policy: policy), number: open.number,
            devices: try store.devices(without: open), FollowingEvents())
    }

    /// The slot of the device with a key; nil if the device does not exist.
    private func slot(of key: DeviceKey) throws(Problem) -> Int? {
        if let slot = slotsByKey[key] { return slot }
        guard let stored = try store.device(key: key) else { return nil }
        return try slot(of: stored.device.id)
    }

    /// The number up to which the stored states include every input when all waiting states are written.
    func newestInputOfStates() throws(Problem) -> Int64 {
        let newest = try store.newestInput()
        return openFenceChange.map { min(newest, $0.number - 1) } ?? newest
    }
}
