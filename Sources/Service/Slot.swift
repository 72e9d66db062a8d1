import Model
import Monitor
import Store
import Timeline

extension ServiceWriter {
    /// A device in memory.
    struct Slot {
        let key: DeviceKey
        var state: DeviceState
        /// What its device says, beside the state: each time that the state is asked for its device, it gives a copy.
        private(set) var isSimulated: Bool
        private(set) var keeping: Double?
        var isTouched = false
        /// The newest input that is in the state, by its number.
        var applied: Int64
        /// No event of the device that the engine has made is later than this.
        var eventsUpTo = Instant.latest
        /// Whether the stored state is an older one.
        var isBehind = false
        /// Whether it is noted that positions of it are not kept.
        var isGapNoted = false
        /// When it was seen by positions that are not kept and not saved otherwise yet.
        var unsavedSpan: SeenSpan?
        /// No stored fix that the device calls not valid is newer than this; nil before the first such fix asks for it.
        var newestUnjudged: Instant?
        /// When the next checkpoint is due.
        var pace = CheckpointSchedule()
        /// Whether a rule holds for it.
        var hasRules = false
        /// When, by its own time, there is next something to judge by a rule; `latest` when there never is.
        var ruleDue = Instant.latest

        init(key: DeviceKey, state: DeviceState, applied: Int64) {
            self.key = key
            self.state = state
            self.applied = applied
            isSimulated = state.device.registry == .simulated
            keeping = state.device.keepPositions
        }
    }
}

// What every fix asks of a device, as functions that could change it: then the state is asked where it lies. Where it is only read, the
// compiler makes a copy first, and counts a dozen references up and down for it.

extension ServiceWriter.Slot {
    /// How a fix stands to what is known of its device.
    enum Arrival {
        /// Newer than everything.
        case next
        /// The newest fix once more.
        case again
        /// It may be known already, and came after a newer one if it is late.
        case behind(isLate: Bool)
    }

    mutating func arrival(of fix: Fix) -> Arrival {
        guard let frontier = state.frontier, fix.time <= frontier, let newest = state.newest else { return .next }
        if fix.time == newest.time, fix.coordinate == newest.coordinate { return .again }
        return .behind(isLate: fix.time < frontier)
    }

    /// Whether a position of the device may be stored already, as it comes.
    mutating func mayBeStored(_ row: FixBatch.Row) -> Bool {
        if row.isValid {
            if case .behind = arrival(of: row.fix) { return true }
            return false
        }
        guard let newestUnjudged else { return true }
        return row.fix.time <= max(newestUnjudged, state.frontier ?? .earliest)
    }

    /// Whether no valid fix of the device is newer.
    mutating func isNewest(_ fix: Fix) -> Bool { state.newest.map { fix.time >= $0.time } ?? true }

    /// Whether a checkpoint is due before a fix is judged.
    mutating func isCheckpointDue(before fix: Fix) -> Bool { pace.isDue(before: fix, state) }

    /// Takes note of a fix that was judged.
    ///
    /// - Parameter number: Of the fix; nil when it is not kept.
    /// - Returns: Whether a simulated phone is to be shown the fix.
    mutating func note(_ fix: Fix, number: Int64?, at now: Instant) -> Bool {
        if let number { applied = number }
        state.lag = max(0, now - fix.time)
        return isSimulated
    }

    /// When, by the clock, the device may have something to tell though nothing comes from it.
    mutating func deadline() -> Instant? { state.deadline.map { $0 + state.lag } }

    /// Whether positions of it are stored at all.
    ///
    /// - Parameter usual: Seconds that devices keep them that say nothing else.
    mutating func keepsPositions(usual: Double?) -> Bool { (keeping ?? usual ?? 1) > 0 }

    /// Takes over what a device is said to be now.
    mutating func renew(_ device: Device, policy: DecisionPolicy) {
        state = state.with(device, policy: policy)
        isSimulated = device.registry == .simulated
        keeping = device.keepPositions
        isGapNoted = false
        newestUnjudged = nil
        pace = CheckpointSchedule()
    }
}
