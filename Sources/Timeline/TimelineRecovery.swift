import Model
import Monitor
import Store

extension Timeline {
    /// What was made of inputs that were in no state.
    public struct Recovered {
        /// How many there were, changes of the geofences included.
        public var inputs = 0
        /// The geofences as they are now.
        public var fences: FenceTimeline
    }

    /// Brings the stored states of devices up to date with the input log: applies those inputs again whose effect was not written before a
    /// crash. Their events are on record already.
    ///
    /// - Parameters:
    ///   - present: An engine over the geofences as they are now, if there is one. It is not changed.
    ///   - isWriting: Whether the states are stored in the store; else in tables that the connection alone sees
    ///     (`RegionStore.copyStatesAside`).
    /// - Complexity: O(inputs since the states were last written), some microseconds each, and the making of an engine.
    public static func recover(
        _ store: RegionStore, present: TransitionEngine?, policy: DecisionPolicy, isWriting: Bool
    ) throws(Problem) -> Recovered {
        let saved = try store.statesSaved()
        let fences = try FenceTimeline(
            store, from: try store.fenceRevision(before: saved + 1), present: present, policy: policy)
        let timeline = Timeline(store, fences, policy: policy, beginning: .stored)
        var recovered = Recovered(fences: fences)
        let log = try InputLogReader(store, after: saved)
        while let entry = try log.next() {
            if entry.isLate { continue }
            try timeline.apply(entry) { _ throws(Problem) in }
            recovered.inputs += 1
        }
        for device in timeline.devices {
            var state = device.state
            try store.save(&state, of: device.key, applied: device.applied)
        }
        if isWriting { try store.noteStatesSaved(upTo: store.newestInput()) }
        return recovered
    }
}
