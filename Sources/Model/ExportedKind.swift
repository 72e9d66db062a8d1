/// What a line of a device's export is about. The raw value is the name of the line's member.
package enum ExportedKind: String, CaseIterable, Sendable {
    case device, state, rule, fix
    /// A time at which positions were recorded that have been removed since.
    case seen
    case event, visit
    /// A message that is not a position.
    case evidence
    case refusedInput, journal, repair, health, phone, token

    /// The number of lines with their noun: "1 fix", "1,301 fixes".
    package func counted(_ count: Int) -> String {
        switch self {
        case .device: count.counted("device", "devices")
        case .state: count.counted("state", "states")
        case .rule: count.counted("rule", "rules")
        case .fix: count.counted("fix", "fixes")
        case .seen: count.counted("time span of removed fixes", "time spans of removed fixes")
        case .event: count.counted("event", "events")
        case .visit: count.counted("visit", "visits")
        case .evidence: count.counted("other message", "other messages")
        case .refusedInput: count.counted("kind of refused input", "kinds of refused input")
        case .journal: count.counted("journal of registrations", "journals of registrations")
        case .repair: count.counted("repair", "repairs")
        case .health: count.counted("change of health", "changes of health")
        case .phone: count.counted("simulated phone", "simulated phones")
        case .token: count.counted("token", "tokens")
        }
    }
}
