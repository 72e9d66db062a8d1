/// The rule of a `missed` event, as it was when the event was emitted.
public struct MissedRule: Hashable, Sendable {
    public var id: String
    public var expectation: PresenceRule.Expectation
    public var timeZone: String
    /// False when the device has never sent a usable position; then the event's fix has no meaning.
    public var hasPosition: Bool

    public init(id: String, expectation: PresenceRule.Expectation, timeZone: String, hasPosition: Bool) {
        self.id = id
        self.expectation = expectation
        self.timeZone = timeZone
        self.hasPosition = hasPosition
    }
}
