/// The rule of a `missed` event, as it was when the event was emitted.
package struct MissedRule: Hashable, Sendable {
    package var id: String
    package var expectation: PresenceRule.Expectation
    package var timeZone: String
    /// False when the device has never sent a usable position; then the event's fix has no meaning.
    package var hasPosition: Bool

    package init(id: String, expectation: PresenceRule.Expectation, timeZone: String, hasPosition: Bool) {
        self.id = id
        self.expectation = expectation
        self.timeZone = timeZone
        self.hasPosition = hasPosition
    }
}
