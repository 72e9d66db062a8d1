import Model
import Store

/// The result of comparing a device's replay with the recorded events: events that were wrong, and decisions that replace them.
package struct Correction {
    /// Recorded events that the replay does not produce, in order of sequence.
    package private(set) var wrongEvents: [PicketStore.RecordedDecision] = []
    /// Decisions of the replay that are not recorded, in the replay's order.
    package private(set) var missingDecisions: [DeviceReplay.Decision] = []
    /// The number of recorded events that the replay produces again.
    package private(set) var reproducedCount = 0
    /// The recorded events that were compared, including those that were retracted before, in order of sequence.
    package let record: [RecordedConfirmation]

    /// When a recorded event was certain.
    package struct RecordedConfirmation {
        package let sequence: Int64
        package let confirmedAt: Instant

        package init(sequence: Int64, confirmedAt: Instant) {
            self.sequence = sequence
            self.confirmedAt = confirmedAt
        }
    }

    /// The number of events that are retracted or added.
    package var changeCount: Int { wrongEvents.count + missingDecisions.count }

    /// Whether the record is what the replay produces.
    package var isEmpty: Bool { wrongEvents.isEmpty && missingDecisions.isEmpty }

    /// What identifies a decision, except for its cause.
    private struct DecisionIdentity: Hashable {
        var type: EventType
        var fence: FenceKey?
        var occurredAt: Instant
        var crossedAt: Instant?
        var inferred: Bool
        /// The time of the enter, or of the last sign of life for silence.
        var since: Instant?
        /// When the decision was certain; nil if that and the fix are not compared.
        var confirmedAt: Instant?
        /// The time, coordinate and accuracy of the fix, which are what is recorded of it.
        var fix: Fix?

        init(_ transition: Transition, comparesConfirmation: Bool) {
            type = transition.type
            fence = transition.fence
            occurredAt = transition.occurredAt
            crossedAt = transition.crossedAt
            inferred = transition.inferred
            since = transition.visit?.enteredAt ?? transition.lastHeard
            guard comparesConfirmation else { return }
            confirmedAt = transition.confirmedAt
            let fix = transition.fix
            self.fix = Fix(time: fix.time, coordinate: fix.coordinate, accuracy: fix.accuracy)
        }
    }

    /// Compares a replay's decisions with the recorded events.
    ///
    /// - Parameters:
    ///   - start: The time of the state that the replay began with; nil if it began with the first fix.
    ///   - comparesConfirmation: Whether events differ that were only confirmed at another time or with another fix.
    init(
        _ decisions: [DeviceReplay.Decision], since start: Instant?, record: [PicketStore.RecordedDecision],
        comparesConfirmation: Bool
    ) {
        self.record = record.map { .init(sequence: $0.sequence, confirmedAt: $0.transition.confirmedAt) }
        let standing = record.filter { $0.retractedBy == nil }
        func identity(_ transition: Transition) -> DecisionIdentity {
            DecisionIdentity(transition, comparesConfirmation: comparesConfirmation)
        }
        var waiting: [DecisionIdentity: [Int]] = [:]
        for (number, recorded) in standing.enumerated().reversed() {
            waiting[identity(recorded.transition), default: []].append(number)
        }
        var isFound = [Bool](repeating: false, count: standing.count)
        for decision in decisions {
            let key = identity(decision.transition)
            let match = waiting[key]?.lastIndex { number in
                let cause = standing[number].transition.cause
                return cause == decision.transition.cause || cause == .corrected
            }
            if let match, let number = waiting[key]?.remove(at: match) {
                isFound[number] = true
                reproducedCount += 1
            } else {
                missingDecisions.append(decision)
            }
        }
        for (number, recorded) in standing.enumerated() where !isFound[number] {
            // Events that were confirmed before the replay's start are not compared.
            if let start, recorded.transition.confirmedAt <= start { continue }
            wrongEvents.append(recorded)
        }
    }
}
