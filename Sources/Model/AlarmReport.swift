/// An alarm in the input.
package struct AlarmReport: Hashable, Sendable {
    /// The id of the device; nil when the input has none.
    package var device: String?
    /// See `Alarm.kind`.
    package var kind: String
    /// The time of the alarm; nil when the input has none.
    package var time: Instant?
    /// The position of the alarm; nil when the input has no usable one.
    package var fix: Fix?

    package init(device: String?, kind: String, time: Instant?, fix: Fix?) {
        self.device = device
        self.kind = kind
        self.time = time
        self.fix = fix
    }
}
