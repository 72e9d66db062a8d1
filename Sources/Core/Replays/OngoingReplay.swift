import Model
import Store
import Timeline

/// The unfinished replay of a device. It is continued in steps.
package struct OngoingReplay {
    package var replay: DeviceReplay
    /// Whether a person requested the replay. Otherwise late fixes are the reason.
    package var isRequested: Bool
    /// The request to evaluate the past with present geofences, if that is the reason.
    package var correction: PastCorrection?
    /// The time of the earliest late fix that has arrived since the replay began. The replay does not evaluate such fixes.
    package var earliestNewFix: Instant?

    package init(replay: DeviceReplay, isRequested: Bool, correction: PastCorrection? = nil) {
        self.replay = replay
        self.isRequested = isRequested
        self.correction = correction
    }
}

extension ServiceWriter {
    /// Discards an unfinished replay of a device, because the device was changed in a way that the replay does not know.
    package func interruptReplay(ofDevice key: DeviceKey) {
        if ongoingReplay?.replay.stored.key == key { ongoingReplay = nil }
    }
}
