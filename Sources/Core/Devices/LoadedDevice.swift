import Model
import Monitor
import Store
import Timeline

extension ServiceWriter {
    /// A device in memory.
    package struct LoadedDevice {
        package let key: DeviceKey
        package var state: DeviceState
        /// Copies of the device's settings `registry` and `keepPositions`. Reading them from `state.device` would copy the device each
        /// time.
        private(set) var isSimulated: Bool
        private(set) var keeping: Double?
        /// Whether positions are changing the state, which is not saved yet.
        package var isChanging = false
        /// Whether positions have changed the state in the open transaction.
        package var isEvaluated = false
        /// The number of the newest input that is applied to the state.
        package var applied: Int64
        /// No event that the engine has produced for the device is later than this.
        package var eventsUpTo = Instant.latest
        /// Whether the stored state is older than `state`.
        var isBehind = false
        /// Whether it is recorded that positions of the device are not stored.
        var isGapRecorded = false
        /// The times of positions that are not stored, and that are not saved yet as spans in which the device was seen.
        package var unsavedSightings: [Instant] = []
        /// The time of the newest stored fix that the device marks as invalid, or a later time; nil until the first such fix arrives.
        var newestInvalid: Instant?
        /// Determines when the next checkpoint is due.
        package var checkpointSchedule = CheckpointSchedule()
        /// Whether a rule applies to the device.
        package var hasRules = false
        /// When a rule has to be evaluated next, in the device's own time; `latest` for never.
        package var ruleDue = Instant.latest

        init(key: DeviceKey, state: DeviceState, applied: Int64) {
            self.key = key
            self.state = state
            self.applied = applied
            isSimulated = state.device.registry == .simulated
            keeping = state.device.specificKeepPositions
        }
    }
}

// Functions that every fix calls. They are `mutating`, so that the state is accessed in place. For a function that only reads, the compiler
// copies the state first, which changes a dozen reference counts.

extension ServiceWriter.LoadedDevice {
    /// The order of a fix relative to the known fixes of its device.
    package enum Arrival {
        /// The fix is newer than all others.
        case next
        /// The fix has the time and place of the newest one, and is not more accurate.
        case repeated
        /// The fix has the time and place of the newest one, and is more accurate.
        case repeatedMoreAccurately
        /// The fix may be a duplicate. If `isLate` is true, it arrived after a newer one.
        case notNewer(isLate: Bool)
    }

    package mutating func arrival(of fix: Fix) -> Arrival {
        guard let frontier = state.lateBefore, fix.time <= frontier else { return .next }
        if let newest = state.newest, fix.time == newest.time, fix.coordinate == newest.coordinate {
            return fix.isMoreAccurate(than: newest) ? .repeatedMoreAccurately : .repeated
        }
        return .notNewer(isLate: fix.time < frontier)
    }

    /// Whether a fix that is not late can be a jump, so that it has to be followed.
    @inline(__always)
    package mutating func canJump(to fix: Fix) -> Bool {
        guard let newest = state.newest else { return false }
        return state.outlierCandidate != nil || SharedIDDetector.canJump(from: newest.coordinate, to: fix.coordinate)
    }

    /// Whether no valid fix of the device is newer.
    mutating func isNewest(_ fix: Fix) -> Bool { state.newest.map { fix.time >= $0.time } ?? true }

    /// Whether a checkpoint has to be stored before a fix is evaluated.
    package mutating func isCheckpointDue(before fix: Fix) -> Bool { checkpointSchedule.isDue(before: fix, state) }

    /// Records that a fix was evaluated.
    ///
    /// - Parameter number: The number of the fix; nil if the fix is not stored.
    /// - Returns: Whether the device has a simulated phone to which the fix has to be passed.
    package mutating func recordFix(_ fix: Fix, number: Int64?, at now: Instant) -> Bool {
        if let number { applied = number }
        state.lag = max(0, now - fix.time)
        return isSimulated
    }

    /// When the device may produce an event without further input, in the clock's time; nil for never.
    ///
    /// - Parameter start: See `DeviceState.deadlineByClock(listeningSince:)`.
    mutating func deadline(listeningSince start: Instant) -> Instant? { state.deadlineByClock(listeningSince: start) }

    /// The moment in the device's own time before which deadlines are due at a moment of the clock.
    ///
    /// - Parameter start: See `DeviceState.deadlineByClock(listeningSince:)`.
    mutating func deadlineLimit(at now: Instant, listeningSince start: Instant) -> Instant {
        let ownNow = now + -state.lag
        guard let silence = state.silenceAt, start + state.device.silentAfter >= now else { return ownNow }
        return min(silence, ownNow)
    }

    /// Whether positions of the device are stored.
    ///
    /// - Parameter usual: The retention period in seconds for devices without their own.
    mutating func keepsPositions(usual: Double?) -> Bool { (keeping ?? usual ?? 1) > 0 }

    /// Applies new settings of the device.
    package mutating func updateDevice(_ device: Device, policy: DecisionPolicy) {
        state = state.replacingDevice(device, policy: policy)
        isSimulated = device.registry == .simulated
        keeping = device.specificKeepPositions
        isGapRecorded = false
        newestInvalid = nil
        checkpointSchedule = CheckpointSchedule()
    }
}

extension ServiceWriter {
    /// The state of a device in memory.
    package func loadedState(ofDeviceAt deviceIndex: Int) -> DeviceState { loadedDevices[deviceIndex].state }

    /// Records that the engine may have produced events of a device up to a moment. Must be called within a transaction.
    package func recordEvents(ofDeviceAt deviceIndex: Int, upTo end: Instant) {
        keepForUndo(deviceIndex)
        loadedDevices[deviceIndex].eventsUpTo = max(loadedDevices[deviceIndex].eventsUpTo, end)
    }
}
