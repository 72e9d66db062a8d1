import Model
import Monitor

/// Explains why something did or did not happen between a device and a geofence around a moment: the fixes, the measurement of each, the
/// state before and after it, and the criterion that applied.
package struct Explanation: Sendable {
    /// What to explain.
    package struct Question: Sendable {
        package var deviceId: String
        package var geofenceId: String
        /// The moment to explain; nil for the time of the device's newest fix.
        package var at: Instant?
        /// The number of fixes to show before the moment, and after it.
        package var around: Int

        package init(deviceId: String, geofenceId: String, at: Instant? = nil, around: Int = 5) {
            self.deviceId = deviceId
            self.geofenceId = geofenceId
            self.at = at
            self.around = around
        }

        /// The valid values of `around`.
        package static let allowedAround = 1...1000
    }

    /// The state of a device with respect to a geofence.
    package enum State: String, CaseIterable, Sendable {
        case unknown, outside
        /// Still outside; an enter is pending.
        case entering
        case inside
        /// Still inside; an exit is pending.
        case exiting
        /// Outside; a visit between the last two fixes, whose path leads through the geofence, is pending.
        case passing
    }

    /// The criterion that applied at a step.
    enum Criterion: String, CaseIterable, Sendable {
        // Criteria for a fix that is not evaluated
        /// The geofence did not exist yet, or no longer existed.
        case missing
        case inactive
        /// The geofence is only for other devices.
        case notForDevice
        // Criteria for a fix that is evaluated
        /// The fix is too coarse to decide anything.
        case coarse
        /// The fix is too close to the boundary, so the state stays the same.
        case uncertain = "band"
        /// The first fix that decides the state.
        case first
        /// The fix shows a change that is not confirmed yet.
        case pending
        /// The fix confirms a change.
        case confirmed
        /// The fix contradicts a pending change.
        case contradicted
        /// No fix confirmed or contradicted a pending change for too long.
        case dropped
        /// The path to the fix leads through the geofence.
        case passage
        /// The fix shows the state that is already known.
        case holds
        /// A dwell is due.
        case dwell
        /// The fix is too far from the previous one to be believed.
        case outlier = "jump"
        /// The device has stayed elsewhere. The fix is in doubt until the next one is elsewhere, too, or none comes in time.
        case leaving
        // Criteria without a fix
        /// A pending change was confirmed by its deadline without another fix.
        case deadline
        /// The geofence was created, edited, or removed.
        case fenceChanged
        /// The device's groups or policy were edited.
        case deviceChanged
        /// The phone itself reported whether it is inside.
        case reported
    }

    /// A fix, or something that happened between two fixes.
    struct Step: Sendable {
        var at: Instant
        /// Nil if the step has no fix.
        var fix: Fix?
        /// Nil if the step has no fix or the geofence did not exist.
        var measurement: Measurement?
        /// The state before the step; nil if the geofence did not exist, was inactive, or was not for the device.
        var before: State?
        /// The state after the step, with nil as in `before`.
        var after: State?
        var criterion: Criterion
        /// What the criterion says about this step.
        var because: StepReason
        /// The transitions that followed.
        var transitions: [Transition] = []
    }

    /// The visits on record around a moment.
    struct Visits: Sendable {
        /// The visit that was open at the moment.
        var current: Visit?
        /// The last visit that ended before the moment.
        var before: Visit?
        /// The first visit that began after the moment.
        var after: Visit?

        var isEmpty: Bool { current == nil && before == nil && after == nil }
    }

    /// One parameter of the policy that was in force, and where its value comes from.
    package struct PolicyParameter: Sendable {
        package enum Source: String, CaseIterable, Sendable { case geofence, device, store }

        var name: String
        /// Infinite if there is no limit.
        var value: Double
        /// The unit of the value (`m`, `m/s`, `s`, `deviations`); empty for a number without a unit.
        var unit: String
        var source: Source
    }

    var device: Device
    /// The geofence as it was at the moment; if it did not exist then, its last version.
    var geofence: Geofence
    /// Nil if the question is about the newest fix and the device has none.
    var at: Instant?
    /// Whether the device was inside at the moment, and why.
    var answer: ExplanationAnswer
    var visits: Visits
    var steps: [Step]
    /// The events in the period of the steps, the last event before it and the first event after it.
    var events: [Event]
    var policy: [PolicyParameter]
    /// The reasons why the explanation may differ from what was decided at the time.
    var remarks: [ExplanationRemark]
    /// The smallest single change that would have led to another decision; empty if none of the changes that were tried does.
    var remedies: [ExplanationRemedy]
}

extension DecisionPolicy {
    /// The parameters of the policy in force, each with its source: the geofence's value has precedence over the device's, and the device's
    /// over the store's.
    ///
    /// - Parameter margin: The exit margin for the geofence's radius, in meters.
    func parameters(geofence: PolicyOverride, device: PolicyOverride, margin: Double) -> [Explanation.PolicyParameter] {
        func number(
            _ name: String, _ value: Double, _ unit: String, _ isSet: (PolicyOverride) -> Bool
        ) -> Explanation.PolicyParameter {
            func says(_ policy: PolicyOverride) -> Bool { policy.base != nil || isSet(policy) }
            return .init(
                name: name, value: value, unit: unit, source: says(geofence) ? .geofence : says(device) ? .device : .store)
        }
        return [
            number("accuracyCap", accuracyCap, "m") { $0.accuracyCap != nil },
            number("maxAccuracy", maxAccuracy, "m") { $0.maxAccuracy != nil },
            number("exitMargin", margin, "m") { $0.exitMargin != nil },
            number("confirmFixes", Double(confirmFixes), "") { $0.confirmFixes != nil },
            number("confirmSeconds", confirmSeconds, "s") { $0.confirmSeconds != nil },
            number("maxSpeed", maxSpeed, "m/s") { $0.maxSpeed != nil },
            number("crossing", crossing, "s") { $0.crossing != nil },
            number("stay", stay, "deviations") { $0.stay != nil },
        ]
    }
}
