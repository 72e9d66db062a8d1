/// How soon a person has to know about an event. It is not the severity of a problem, because an event is not a failure of the
/// service.
package enum EventUrgency: String, CaseIterable, Sendable {
    /// A device came or went.
    case normal
    /// A person should look into it soon, for example at a low battery.
    case warning
    /// A person may be in danger. The event is sent before all others, ignores filters, and is repeated until it is acknowledged.
    case emergency
}
