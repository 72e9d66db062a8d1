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
    package func counted(_ count: Int) -> String {
        switch self {
        case .device: count.counted("device", "devices")
        case .state: count.counted("state", "states")
        case .rule: count.counted("rule", "rules")
        case .fix: count.counted("position", "positions")
        case .seen: count.counted("time span of removed positions", "time spans of removed positions")
        case .event: count.counted("event", "events")
        case .visit: count.counted("visit", "visits")
        case .evidence: count.counted("other message", "other messages")
        case .refusedInput: count.counted("kind of refused data", "kinds of refused data")
        case .journal: count.counted("registration journal", "registration journals")
        case .repair: count.counted("repair", "repairs")
        case .health: count.counted("change of health", "changes of health")
        case .phone: count.counted("simulated phone", "simulated phones")
        case .token: count.counted("token", "tokens")
        }
    }
}
