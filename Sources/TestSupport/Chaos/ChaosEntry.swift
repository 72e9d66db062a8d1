import Model
import Reconciler

/// One entry of the diary of a life: what happened, and the health after it.
package struct ChaosEntry: Sendable {
    package enum Content: Hashable, Sendable {
        case event(ChaosEvent)
        case repair(calls: Int)
        /// The app was killed during a repair.
        case killedRepair(calls: Int)
    }

    package var at: Instant
    package var content: Content
    package var health: HealthSummary
    package var isHealthy: Bool
}
