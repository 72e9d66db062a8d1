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
    /// Continues the unfinished replay of a device, or begins one if another is unfinished, which is discarded. The caller has taken it from
    /// `ongoingReplay`, so that it is also discarded after a failure.
    ///
    /// - Parameters:
    ///   - known: The unfinished replay; nil if there is none.
    ///   - limit: The maximum number of inputs to evaluate. A thousand take a few milliseconds.
    ///   - begin: Creates the replay; see `beginReplay(of:from:options:)`.
    package func continueReplay(
        _ known: OngoingReplay?, of stored: PicketStore.StoredDevice, for reason: OngoingReplay.Reason, limit: Int,
        begin: () throws(Problem) -> DeviceReplay?
    ) throws(Problem) -> OngoingReplay.Step {
        let ongoing: OngoingReplay
        if let known, known.reason == reason, known.replay.stored.key == stored.key {
            ongoing = known
        } else {
            guard let begun = try begin() else { return isReadingPast ? .unfinished : .impossible }
            ongoing = OngoingReplay(begun, for: reason)
        }
        guard try ongoing.replay.replay(atMost: limit) else {
            ongoingReplay = ongoing
            return .unfinished
        }
        return ongoing.replay.mustRestart ? .unfinished : .evaluated(ongoing)
    }

    /// Saves what a finished replay with the geofences of the time has found, in one transaction.
    package func save(_ finished: OngoingReplay) throws(Problem) -> (counts: ReplayCounts, events: [Event]) {
        let deviceIndex = try loadDevice(of: finished.replay.stored)
        let correction = try finished.replay.correction()
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try saveCorrection(
                correction, by: finished.replay, deviceIndex, earliestNewFix: finished.earliestNewFix, in: transaction)
        }
    }

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
