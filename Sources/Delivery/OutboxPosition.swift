import Model

/// A stored position with what is needed to forward it.
package struct OutboxPosition: Sendable {
    /// The fix's number in the store.
    package var number: Int64
    package var deviceId: String
    package var deviceGroups: [String]
    package var fix: Fix

    package init(number: Int64, deviceId: String, deviceGroups: [String] = [], fix: Fix) {
        self.number = number
        self.deviceId = deviceId
        self.deviceGroups = deviceGroups
        self.fix = fix
    }
}
