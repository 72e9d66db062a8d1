import Model

/// A stored position with what has to be known to send it on.
public struct OutboxPosition: Sendable {
    /// Of the fix in the store.
    public var number: Int64
    public var deviceId: String
    public var deviceName: String
    public var deviceGroups: [String]
    public var fix: Fix

    public init(number: Int64, deviceId: String, deviceName: String, deviceGroups: [String] = [], fix: Fix) {
        self.number = number
        self.deviceId = deviceId
        self.deviceName = deviceName
        self.deviceGroups = deviceGroups
        self.fix = fix
    }
}

/// What a sink is sent.
public enum OutboxItem: Sendable {
    case event(OutboxEvent)
    case position(OutboxPosition)
}
