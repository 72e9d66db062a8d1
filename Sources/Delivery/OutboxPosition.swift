import Model

/// A stored position with what is needed to forward it.
public struct OutboxPosition: Sendable {
    /// The fix's number in the store.
    public var number: Int64
    public var deviceId: String
    public var deviceGroups: [String]
    public var fix: Fix

    public init(number: Int64, deviceId: String, deviceGroups: [String] = [], fix: Fix) {
        self.number = number
        self.deviceId = deviceId
        self.deviceGroups = deviceGroups
        self.fix = fix
    }
}

/// An item to send to a sink.
public enum OutboxItem: Sendable {
    case event(OutboxEvent)
    case position(OutboxPosition)
}
