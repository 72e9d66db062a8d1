/// An alarm in the input.
public struct AlarmReport: Hashable, Sendable {
    /// The id of the device; nil when the input has none.
    public var device: String?
    /// See `Alarm.kind`.
    public var kind: String
    /// The time of the alarm; nil when the input has none.
    public var time: Instant?
    /// The position of the alarm; nil when the input has no usable one.
    public var fix: Fix?

    public init(device: String?, kind: String, time: Instant?, fix: Fix?) {
        self.device = device
        self.kind = kind
        self.time = time
        self.fix = fix
    }
}
