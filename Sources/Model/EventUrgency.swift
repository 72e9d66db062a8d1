/// How soon a person has to know of an event. Not the severity of a problem: an event is no failure of the service.
public enum EventUrgency: String, CaseIterable, Sendable {
    /// Somebody came or went.
    case normal
    /// Something may need a look soon, as a battery that runs low.
    case warning
    /// A person may be in danger: sent ahead of everything else, past filters, and repeated until it is acknowledged.
    case emergency
}
