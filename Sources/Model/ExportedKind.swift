/// What a line of a device's export is about. The raw value is the name of the line's member.
package enum ExportedKind: String, CaseIterable, Sendable {
    case device, state, rule, fix
    /// A time at which positions were recorded that have been removed since.
    case seen
    case event, visit
    /// A message that is not a position.
    case evidence
    case refusedInput, journal, repair, health, phone, token

    /// The number of lines with their noun: "1 position", "1,301 positions".
    package func counted(_ count: Int) -> Phrase {
        switch self {
        case .device: Phrase(count, one: "\(count) device", other: "\(count) devices")
        case .state: Phrase(count, one: "\(count) state", other: "\(count) states")
        case .rule: Phrase(count, one: "\(count) rule", other: "\(count) rules")
        case .fix: Phrase(count, one: "\(count) position", other: "\(count) positions")
        case .seen:
            Phrase(count, one: "\(count) time span of removed positions", other: "\(count) time spans of removed positions")
        case .event: Phrase(count, one: "\(count) event", other: "\(count) events")
        case .visit: Phrase(count, one: "\(count) visit", other: "\(count) visits")
        case .evidence: Phrase(count, one: "\(count) other message", other: "\(count) other messages")
        case .refusedInput: Phrase(count, one: "\(count) kind of refused data", other: "\(count) kinds of refused data")
        case .journal: Phrase(count, one: "\(count) registration journal", other: "\(count) registration journals")
        case .repair: Phrase(count, one: "\(count) repair", other: "\(count) repairs")
        case .health: Phrase(count, one: "\(count) change of health", other: "\(count) changes of health")
        case .phone: Phrase(count, one: "\(count) simulated phone", other: "\(count) simulated phones")
        case .token: Phrase(count, one: "\(count) token", other: "\(count) tokens")
        }
    }
}
