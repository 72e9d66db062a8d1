import Model
import Monitor
import Store

/// What a replay of one device has found: events on record that were wrong, and those that are right instead.
public struct Correction {
    /// Events that the replay does not give, in order of sequence.
    public private(set) var wrong: [RegionStore.RecordedDecision] = []
    /// What it gives, and is not on record, in its order.
    public private(set) var right: [DeviceReplay.Decision] = []
    /// Events that it gives again.
    public private(set) var equal = 0

    public var isEmpty: Bool { wrong.isEmpty && right.isEmpty }

    /// What makes two decisions the same, but for the cause. When one was sure is left out: with a late fix that is sooner.
    private struct Key: Hashable {
        var type: EventType
        var fence: FenceKey?
        var occurredAt: Instant
        var crossedAt: Instant?
        var inferred: Bool
        /// Of the enter, or of the last sign of life.
        var since: Instant?

        init(_ transition: Transition) {
            type = transition.type
            fence = transition.fence
            occurredAt = transition.occurredAt
            crossedAt = transition.crossedAt
            inferred = transition.inferred
            since = transition.visit?.enteredAt ?? transition.lastHeard
        }
    }

    /// Compares what a replay gives with what is on record after its beginning.
    init(_ replay: DeviceReplay, record: [RegionStore.RecordedDecision]) {
        let standing = record.filter { $0.retractedBy == nil }
        var waiting: [Key: [Int]] = [:]
        for (number, recorded) in standing.enumerated().reversed() {
            waiting[Key(recorded.transition), default: []].append(number)
        }
        var isFound = [Bool](repeating: false, count: standing.count)
        for decision in replay.decisions {
            let key = Key(decision.transition)
            let match = waiting[key]?.lastIndex { number in
                let cause = standing[number].transition.cause
                return cause == decision.transition.cause || cause == .corrected
            }
            if let match, let number = waiting[key]?.remove(at: match) {
                isFound[number] = true
                equal += 1
            } else {
                right.append(decision)
            }
        }
        for (number, recorded) in standing.enumerated() where !isFound[number] {
            // What was decided before the replay began is not its matter.
            if let start = replay.start, recorded.transition.confirmedAt <= start { continue }
            wrong.append(recorded)
        }
    }
}
