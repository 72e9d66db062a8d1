import Model
import Reconciler
import Registry

/// The result of a life.
package struct ChaosReport: Equatable, Sendable {
    package let seed: UInt64
    package let hours: Double
    package let profile: PlatformProfile
    package let geofenceCount: Int
    package internal(set) var fixCount = 0
    /// The number of events of each kind, without edits.
    package internal(set) var eventCounts: [String: Int] = [:]
    package internal(set) var editCount = 0
    package internal(set) var repairCount = 0
    package internal(set) var callCount = 0
    /// Enters and exits of a phone with every geofence registered.
    package internal(set) var transitionCount = 0
    package internal(set) var reportedCount = 0
    package internal(set) var missed: [MissedTransition] = []
    /// Calls that a repair must not make, in words.
    package internal(set) var violations: [String] = []
    package internal(set) var endHealth = HealthSummary.healthy
    package internal(set) var endsHealthy = false

    init(_ configuration: ChaosLife.Configuration) {
        seed = configuration.seed
        hours = configuration.hours
        profile = configuration.profile
        geofenceCount = configuration.geofences.count { $0.isActive }
    }

    package var eventCount: Int { eventCounts.values.reduce(0, +) }
    package var unexplained: [MissedTransition] { missed.filter { $0.explanation == nil } }
    /// Whether the life ended healthy, every transition is reported or explained, and no repair did anything that it must not do.
    package var isPassed: Bool { endsHealthy && unexplained.isEmpty && violations.isEmpty }
}
