import Model
import Monitor

/// Why something happened between a device and a geofence around a moment, or why it did not: the fixes, what each says by
/// itself, what was known before and after it, and the rule that held.
public struct Explanation: Sendable {
    /// What is to be explained.
    public struct Question: Sendable {
        public var deviceId: String
        public var geofenceId: String
        /// Nil: the device's newest fix.
        public var at: Instant?
        /// So many fixes before the moment and after it.
        public var around: Int

        public init(deviceId: String, geofenceId: String, at: Instant? = nil, around: Int = 5) {
            self.deviceId = deviceId
            self.geofenceId = geofenceId
            self.at = at
            self.around = around
        }

        public static let widths = 1...1000
    }

    /// What is known of the device and the fence.
    public enum State: String, CaseIterable, Sendable {
        case unknown, outside
        /// Outside still; an enter is pending.
        case entering
        case inside
        /// Inside still; an exit is pending.
        case exiting
        /// Outside again; the way led through it, which is pending.
        case passing
    }

    /// The rule that held at a step.
    public enum Rule: String, CaseIterable, Sendable {
        // The fix is not judged.
        /// The fence did not exist yet, or no more.
        case missing
        case inactive
        /// The fence is for other devices.
        case notForDevice
        // It is judged.
        /// Too coarse to decide.
        case coarse
        /// In the band: the last state holds.
        case band
        /// The first fix that decides.
        case first
        /// It shows a change that is not sure yet.
        case pending
        /// It makes a change sure.
        case confirmed
        /// It contradicts a pending change.
        case contradicted
        /// No fix confirmed or contradicted a pending change for too long.
        case dropped
        /// The way to it leads through the fence.
        case passage
        /// It shows what is known already.
        case holds
        /// A dwell falls due.
        case dwell
        /// It is too far from the fix before to be believed.
        case jump
        /// The device has stayed elsewhere; not believed until the next one lies elsewhere, too.
        case leaving
        // There is no fix.
        /// A pending change was confirmed, though no fix came.
        case deadline
        /// The fence was made, edited or removed.
        case fenceChanged
        /// The device's groups or policy were edited.
        case deviceChanged
        /// The phone itself reported where it was.
        case reported
    }

    /// A fix, or what happened between two of them.
    public struct Step: Sendable {
        public var at: Instant
        /// Nil for what happened without one.
        public var fix: Fix?
        /// Nil while there was no fence.
        public var measurement: Measurement?
        /// Nil while the fence was not there, not active or not for the device.
        public var before: State?
        public var after: State?
        public var rule: Rule
        /// The rule in words.
        public var because: String
        /// What it led to.
        var transitions: [Transition] = []
    }

    /// The visits on record around a moment.
    public struct Visits: Sendable {
        /// The one that the moment lies in.
        public var current: Visit?
        /// The last one that had ended by then.
        public var before: Visit?
        /// The first one that began later.
        public var after: Visit?

        var isEmpty: Bool { current == nil && before == nil && after == nil }
    }

    /// One number of the policy that held, and who says so.
    public struct PolicyNumber: Sendable {
        public enum Source: String, CaseIterable, Sendable { case geofence, device, store }

        public var name: String
        /// Infinite for no limit.
        public var value: Double
        /// As m, m/s or s; empty for a count.
        public var unit: String
        public var source: Source
    }

    public var device: Device
    /// As it was at the moment; as it last was when it was not there.
    public var geofence: Geofence
    /// Nil when it is the newest fix that is asked about and there is none.
    public var at: Instant?
    /// Whether the device was inside at the moment, and why, in one sentence.
    public var answer: String
    public var visits: Visits
    public var steps: [Step]
    /// The events of the time that the steps span, the last one before and the first one after.
    public var events: [Event]
    public var policy: [PolicyNumber]
    /// Why what is shown may be other than what was decided.
    public var remarks: [String]
}

extension DecisionPolicy {
    /// The numbers of the policy that holds, each with who says so: the fence before the device before the store.
    ///
    /// - Parameter margin: The exit margin for the fence's radius, in metres.
    func numbers(geofence: PolicyOverride, device: PolicyOverride, margin: Double) -> [Explanation.PolicyNumber] {
        func number(
            _ name: String, _ value: Double, _ unit: String, _ isSet: (PolicyOverride) -> Bool
        ) -> Explanation.PolicyNumber {
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
