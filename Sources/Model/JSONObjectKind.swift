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
