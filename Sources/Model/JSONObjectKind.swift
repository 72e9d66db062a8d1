/// What a JSON object in a request stands for. The words of each language are in its catalog.
public enum JSONObjectKind: CaseIterable, Sendable {
    case action
    case device
    case deviceChange
    case enrollment
    case filter
    case geofence
    case group
    case key
    case observation
    case policy
    case preferences
    case rateLimit
    case regionReport
    case replay
    case rule
    case ruleOfEvent
    case signIn
    case sink
    case token
}

extension JSONObjectKind: Named {
    package var phrase: Phrase {
        switch self {
        case .action: Phrase("an action")
        case .device: Phrase("a device")
        case .deviceChange: Phrase("a change to several devices")
        case .enrollment: Phrase("an enrollment")
        case .filter: Phrase("a filter")
        case .geofence: Phrase("a geofence")
        case .group: Phrase("a group")
        case .key: Phrase("a key")
        case .observation: Phrase("an observation")
        case .policy: Phrase("a policy")
        case .preferences: Phrase("preferences")
        case .rateLimit: Phrase("a rate limit")
        case .regionReport: Phrase("a region list")
        case .replay: Phrase("a replay")
        case .rule: Phrase("a rule")
        case .ruleOfEvent: Phrase("the rule of an event")
        case .signIn: Phrase("a sign-in")
        case .sink: Phrase("a sink")
        case .token: Phrase("a token")
        }
    }
}
