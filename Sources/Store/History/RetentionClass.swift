import Model
import SQLite

/// The devices with the same retention time: those without their own setting, or those whose own setting is `seconds`.
package struct RetentionClass {
    package let isDeviceSpecific: Bool
    package let seconds: Double

    package init(isDeviceSpecific: Bool, seconds: Double) {
        self.isDeviceSpecific = isDeviceSpecific
        self.seconds = seconds
    }

    /// The names of the settings that hold the progress of removal.
    package var cursorSetting: String { "trimmed \(isDeviceSpecific ? "own" : "store") \(seconds)" }
    package var sweepSetting: String { cursorSetting + " swept" }

    /// Fixes before this time are removed. With a retention time of 0, fixes with a time in the future are removed as well.
    package func cutoff(_ now: Instant) -> Instant { seconds == 0 ? .latest : now + -seconds }
}

extension PicketStore {
    /// Restarts the removal at the first fix. This must be called when the retention time of a device with positions changes.
    ///
    /// - Parameter seconds: The new retention time of the device; nil for that of the store.
    func restartTrim(ofKeeping seconds: Double?, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "DELETE FROM setting WHERE name LIKE ?",
            seconds.map { RetentionClass(isDeviceSpecific: true, seconds: $0).cursorSetting + "%" } ?? "trimmed store %",
            in: transaction)
    }
}
