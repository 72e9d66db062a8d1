import Model
import Monitor
import Store

// Replays that somebody asks for.

extension GeofenceService {
    /// Judges the stored fixes of devices anew, late ones in their place, and writes what is other than on record.
    ///
    /// - Parameters:
    ///   - id: Of the device; nil for all.
    ///   - since: From the last checkpoint before this moment on; nil for all that is stored.
    ///   - told: Called with the events of each device, when they are on disk.
    /// - Throws: `Problem.notFound` for a device that nobody knows.
    public func replay(
        device id: String?, since: Instant?, told: ([Event]) -> Void
    ) throws(Problem) -> ReplayCounts {
        var counts = ReplayCounts()
        for stored in try devicesToReplay(id) {
            let done = try replay(stored, since: since)
            counts.add(done.counts)
            told(done.events)
        }
        return counts
    }

    /// The devices that a replay is about.
    func devicesToReplay(_ id: String?) throws(Problem) -> [RegionStore.StoredDevice] {
        if let id { return [try storedDevice(id: id)] }
        return try store.devices()
    }

    /// Replays one device and writes what is other, in one transaction.
    func replay(
        _ stored: RegionStore.StoredDevice, since: Instant?
    ) throws(Problem) -> (counts: ReplayCounts, events: [Event]) {
        try transaction { () throws(Problem) in
            try store.orderFixes()
            guard let slot = try slot(of: stored.device.id), slots[slot].state.newest != nil else { return (ReplayCounts(), []) }
            interruptReplay(ofSlot: slot)
            // What waits by itself is part of it.
            let from = try since.map { since throws(Problem) in min(since, try store.pendingReplay(of: stored.key) ?? since) }
            guard case .success(let replay) = try beginReplay(of: stored, from: from) else {
                var counts = ReplayCounts()
                counts.passedOver = 1
                return (counts, [])
            }
            _ = try replay.judge(reached: slots[slot].state.reached)
            return try correct(by: replay, slot)
        }
    }
}
