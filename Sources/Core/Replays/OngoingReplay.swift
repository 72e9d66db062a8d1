import Model
import Store
import Timeline

/// The unfinished replay of a device. It is continued in steps; see `ServiceWriter.ongoingReplay`.
package struct OngoingReplay {
    /// Why the device is evaluated again.
    package enum Reason: Hashable, Sendable {
        case lateFixes
        /// A request to evaluate by the geofences of the time.
        case request
        /// A request to evaluate with present geofences.
        case correction(PastCorrection)
    }

    /// What a step of a replay has led to.
    package enum Step {
        /// Another step is needed.
        case unfinished
        /// The device is being erased, or positions that the replay needs are missing.
        case impossible
        /// All inputs are evaluated.
        case evaluated(OngoingReplay)
    }

    package let replay: DeviceReplay
    package let reason: Reason
    /// The time of the earliest late fix that has arrived since the replay began. The replay does not evaluate such fixes.
    package internal(set) var earliestNewFix: Instant?

    package init(_ replay: DeviceReplay, for reason: Reason) {
        self.replay = replay
        self.reason = reason
    }
}

extension ServiceWriter {
    /// Discards an unfinished replay of a device, because the device was changed in a way that the replay does not know.
    package func interruptReplay(ofDevice key: DeviceKey) {
        if ongoingReplay?.replay.stored.key == key { ongoingReplay = nil }
    }

    /// Records in an unfinished replay that a late fix of its device has arrived.
    package func recordNewFix(at time: Instant, ofDevice key: DeviceKey) {
        guard let ongoing = ongoingReplay, ongoing.replay.stored.key == key else { return }
        ongoingReplay?.earliestNewFix = min(ongoing.earliestNewFix ?? time, time)
    }
}
