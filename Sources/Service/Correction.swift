import Model
import Monitor
import Store

/// What a replay of one device has found: events on record that were wrong, and those that are right instead.
struct Correction {
    /// Events that the replay does not give, in order of sequence.
    private(set) var wrong: [RegionStore.RecordedDecision] = []
    /// What it gives, and is not on record, in its order.
    private(set) var right: [DeviceReplay.Decision] = []
    /// Events that it gives again.
    private(set) var equal = 0

    var isEmpty: Bool { wrong.isEmpty && right.isEmpty }

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
        // Signs of life that are no fixes are not kept: what follows from them stays as it is.
        let knowsSilence = !replay.notes.gaps.contains(.heardOf)
        func counts(_ transition: Transition) -> Bool { knowsSilence || transition.fence != nil }
        let standing = record.filter { $0.retractedBy == nil && counts($0.transition) }
        var waiting: [Key: [Int]] = [:]
        for (number, recorded) in standing.enumerated().reversed() {
            waiting[Key(recorded.transition), default: []].append(number)
        }
        var isFound = [Bool](repeating: false, count: standing.count)
        for decision in replay.decisions where counts(decision.transition) {
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

extension DeviceReplay {
    /// Compares what it gives with what is on record now.
    func correction() throws(Problem) -> Correction {
        Correction(self, record: try store.decisions(of: stored.key, after: sequence))
    }

    /// The state that it has come to, with what is known of the device beside its fixes.
    ///
    /// - Parameter known: The state on record.
    func finalState(beside known: DeviceState) -> DeviceState {
        var final = state
        final.lag = known.lag
        guard notes.gaps.contains(.heardOf) else { return final }
        final.takeLife(of: known)
        fences.engine(at: .max).renewDeadline(&final)
        return final
    }
}
