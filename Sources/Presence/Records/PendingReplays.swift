import Model
import Monitor
import SQLite
import Store

// The replays of late fixes that are due, and what they write.

extension PicketStore {
    // MARK: - Pending replays

    /// Records that fixes of the device from a moment on need a replay.
    package func requestReplay(
        of device: DeviceKey, from moment: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "UPDATE device SET replay_from = ?2 WHERE key = ?1 AND ifnull(replay_from, ?2 + 1) > ?2",
            device.value, moment.milliseconds, in: transaction)
    }

    /// Updates the pending replay of a device after some of its late fixes were removed.
    ///
    /// - Complexity: O(positions of the device + fixes that are not in order yet).
    package func updateReplay(of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        let earliest = try earliestWaitingFix(of: device)
        try clearReplay(of: device, after: .earliest, in: transaction)
        if let earliest { try requestReplay(of: device, from: earliest, in: transaction) }
    }

    /// Clears the pending replay of a device if it begins after a moment.
    func clearReplay(of device: DeviceKey, after moment: Instant, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "UPDATE device SET replay_from = NULL WHERE key = ? AND replay_from > ?", device.value, moment.milliseconds,
            in: transaction)
    }

    /// The devices with late fixes that need a replay, each with the time of the earliest such fix, ordered by key.
    func pendingReplays() throws(Problem) -> [(device: DeviceKey, from: Instant)] {
        try rows(
            "SELECT key, replay_from FROM device WHERE replay_from IS NOT NULL AND NOT removed ORDER BY key",
            as: DeviceKey.self, Instant.self
        ).map { (device: $0, from: $1) }
    }

    /// The time of the earliest late fix of a device that needs a replay; nil if there is none.
    func pendingReplay(of device: DeviceKey) throws(Problem) -> Instant? {
        try firstValue("SELECT replay_from FROM device WHERE key = ?", device.value, as: Instant.self)
    }

    // MARK: - Results

    /// Records that a replay has evaluated late fixes, given by their numbers.
    func markReplayed(_ fixes: [Int64], in transaction: borrowing Transaction) throws(Problem) {
        for number in fixes { try execute("UPDATE fix SET late = late | 4 WHERE number = ?", number, in: transaction) }
    }

    /// Replaces all stored state of a device with the state that a replay has led to.
    ///
    /// - Parameter applied: The number of the newest input that the state includes.
    func replaceState(
        _ state: inout DeviceState, of device: DeviceKey, applied: Int64, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute("DELETE FROM presence WHERE device = ?", device.value, in: transaction)
        guard state.newest == nil else { return try save(&state, of: device, applied: applied, all: true, in: transaction) }
        // The positions of the device were removed.
        try execute("DELETE FROM device_state WHERE device = ?", device.value, in: transaction)
    }

    /// Records that a device whose positions were removed starts again without a state. Until its next fix is evaluated, `state(of:policy:)`
    /// returns a state for which fixes before the moment are late.
    ///
    /// - Parameter moment: Everything that is left on record for the device is at most as new as this; nil if nothing is left.
    func saveRestart(of device: DeviceKey, at moment: Instant?, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try saveSetting(Self.restartSetting(device), moment?.milliseconds ?? 0, in: transaction)
        }
    }
}
