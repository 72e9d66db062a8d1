import Model
import Monitor
import Store

extension Timeline {
    /// The result of a recovery.
    package struct Recovered {
        /// The number of inputs applied, changes of the geofences included.
        package var inputs = 0
        /// The current geofences.
        package var fences: FenceTimeline
    }

    /// Brings stored device states up to date with the input log, by applying the inputs whose effect was not stored before a crash. The
    /// events of those inputs are recorded already.
    ///
    /// - Parameters:
    ///   - present: An engine with the current geofences, if there is one. It is not changed.
    ///   - transaction: A transaction of the store, or of the tables that only this connection sees (`PicketStore.createTemporaryStates`).
    /// - Complexity: O(inputs since the states were last stored), a few microseconds each, plus the construction of an engine.
    package static func recover(
        _ store: PicketStore, present: TransitionEngine?, policy: DecisionPolicy, in transaction: borrowing Transaction
    ) throws(Problem) -> Recovered {
        let saved = try store.completeUpTo(.states)
        let fences = try FenceTimeline(
            store, from: try store.fenceRevision(before: saved + 1), present: present, policy: policy)
        let timeline = Timeline(store, fences, policy: policy, initialStates: .stored)
        var recovered = Recovered(fences: fences)
        let log = try InputLogReader(store, after: saved)
        while let entry = try log.next() {
            if entry.isLate { continue }
            try timeline.apply(entry) { _ throws(Problem) in }
            recovered.inputs += 1
        }
        for device in timeline.devices {
            var state = device.state
            try store.save(&state, of: device.key, applied: device.applied, in: transaction)
        }
        return recovered
    }
}
