import Model
import Registry

/// An enter or exit that a phone with every geofence registered reports, and that was not reported to the app.
package struct MissedTransition: Hashable, Sendable {
    /// Why it was not reported to the app.
    package enum Explanation: Hashable, Sendable {
        case event(ChaosEvent)
        /// So many boundaries were so close that no selection could guarantee this one. Health had reported it as at risk.
        case atRisk
        /// A repair could not complete the registrations.
        case incompleteRepair
        /// The system refused a call of the repair, which took longer because of that.
        case refusedCall(RegistryError)
    }

    package var geofence: String
    package var isEnter: Bool
    package var at: Instant
    /// Nil if nothing explains it.
    package var explanation: Explanation?
}
