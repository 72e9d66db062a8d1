import Core
import Model
import Places
import Store
import Timeline

extension Queries {
    /// The past of all geofences. It is kept for further replays until a geofence is changed.
    package func pastFences() throws(Problem) -> PastFences {
        // `engine()` first reads again the geofences that a failed transaction has changed in memory.
        let present = try engine()
        if let knownPastFences { return knownPastFences }
        let past = PastFences(store, present: present, pastLimits)
        knownPastFences = past
        return past
    }

    /// Creates a replay of a device that starts at the last checkpoint before a moment. Returns nil if the device cannot be replayed or is
    /// being erased, or if the past geofences have been read only in part (`isReadingPast`); in the last case, call it again.
    package func beginReplay(
        of stored: PicketStore.StoredDevice, from moment: Instant?, options: DeviceReplay.ReplayOptions = .init()
    ) throws(Problem) -> DeviceReplay? {
        if try store.ongoingErasure(of: stored.key) != nil { return nil }
        var options = options
        // Late fixes that arrive meanwhile wait for the next replay.
        options.lateFixesUpTo = min(options.lateFixesUpTo, try store.newestInput())
        return try DeviceReplay(store, of: stored, from: moment, past: pastFences, policy: policy, options: options)
    }
}

extension ServiceWriter {
    /// Whether past geofences that a replay needs have been read only in part. The replay must then be started again later.
    package var isReadingPast: Bool { knownPastFences?.isReading ?? false }

    /// Releases the past geofences if no replay has used them since the last call.
    func releaseUnusedPast() {
        if knownPastFences?.isUsed == true { knownPastFences?.isUsed = false } else { knownPastFences = nil }
    }

    /// The index of a stored device in memory, where it is loaded if it is not there yet.
    package func loadDevice(of stored: PicketStore.StoredDevice) throws(Problem) -> Int {
        if let deviceIndex = indicesByID[stored.device.id] { return deviceIndex }
        return try addLoadedDevice(stored)
    }
}
