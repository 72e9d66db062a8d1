import Model
import Monitor
import Store
import Timeline

extension ServiceWriter {
    /// Lets a device begin anew whose earlier positions are not there, so that it cannot be evaluated again: retracts its events from a moment
    /// on, ends the visits that are open then, and forgets its state. Its next position is like its first one.
    ///
    /// The visits end at the moment, or now if that is earlier, because nothing is known of the device afterward.
    func beginAnew(
        _ stored: RegionStore.StoredDevice, _ slot: Int, from moment: Instant
    ) throws(Problem) -> ReplayCounts {
        let state = slots[slot].state
        var counts = ReplayCounts()
        let isAffected = [state.newest?.time, state.lateBefore, state.lastHeard].contains { $0.map { $0 >= moment } ?? false }
        guard isAffected else { return counts }
        return try transaction { () throws(Problem) in
            keepForUndo(slot)
            let standing = try store.decisions(of: stored.key, after: 0).filter { $0.retractedBy == nil }
            let now = clock.now()
            let restart = Restart(standing, from: moment, endingAt: min(moment, now))
            var sequence = try store.newestSequence()
            var events: [Event] = []
            func append(_ transition: Transition, _ revision: Int64, retracts: String? = nil) throws(Problem) {
                sequence += 1
                let geofence = try transition.fence.flatMap { fence throws(Problem) in try store.geofence(fence, at: revision) }
                events.append(
                    try store.append(
                        transition, sequence: sequence, device: stored.key, deviceId: stored.device.id, geofence: geofence,
                        revision: revision, recordedAt: now, retracts: retracts))
            }
            for wrong in restart.wrong {
                let old = wrong.transition
                try append(
                    Transition(
                        type: .retracted, fence: old.fence, occurredAt: old.occurredAt, confirmedAt: old.confirmedAt,
                        cause: .corrected, fix: old.fix), wrong.revision, retracts: wrong.id)
            }
            for (exit, revision) in restart.ends { try append(exit, revision) }
            slots[slot].eventsUpTo = max(slots[slot].eventsUpTo, restart.end)
            // The inputs up to now must not be applied again after a crash.
            try writeStates()
            try recordStatesSaved()
            var new = DeviceState(device: stored.device, policy: policy)
            slots[slot].unsavedSightings = []
            try store.replaceState(&new, of: stored.key, applied: slots[slot].applied)
            slots[slot].state = new
            try save(slot)
            try store.removeCheckpoints(of: stored.key, after: .earliest)
            // Late positions before the moment cannot be evaluated.
            try store.updateReplay(of: stored.key)
            replays?.remove(stored.key)
            try resolveUnevaluated(ofDevice: stored.key, at: now)
            publish(events)
            let judged = try evaluateRules(
                ofSlot: slot, after: restart.wrong.map(\.transition) + restart.ends.map(\.exit), cause: .corrected, at: now,
                sequence: &sequence)
            scheduleDeadline(slot)
            counts.devices = 1
            counts.retracted = restart.wrong.count + judged.count { $0.type == .retracted }
            counts.new = restart.ends.count + judged.count { $0.type != .retracted }
            return counts
        }
    }
}

/// What a new beginning of a device changes in its record.
private struct Restart {
    /// When its open visits end.
    let end: Instant
    /// The events that are retracted.
    private(set) var wrong: [RegionStore.RecordedDecision] = []
    /// The ends of visits and of a silence, with the revisions of their geofences.
    private(set) var ends: [(exit: Transition, revision: Int64)] = []

    /// - Parameter standing: The events of the device that were not retracted.
    init(_ standing: [RegionStore.RecordedDecision], from moment: Instant, endingAt end: Instant) {
        self.end = end
        var open: [FenceKey: RegionStore.RecordedDecision] = [:]
        var silence: RegionStore.RecordedDecision?
        // The order of time: a corrected event has a higher number than those that followed it.
        for decision in standing.sorted(by: { ($0.transition.occurredAt, $0.sequence) < ($1.transition.occurredAt, $1.sequence) })
        {
            let transition = decision.transition
            if transition.occurredAt >= moment || transition.confirmedAt >= moment {
                wrong.append(decision)
                continue
            }
            switch (transition.type, transition.fence) {
            case (.enter, let fence?): open[fence] = decision
            case (.exit, let fence?): open[fence] = nil
            case (.silent, _): silence = decision
            case (.returned, _): silence = nil
            default: break
            }
        }
        wrong.sort { $0.sequence < $1.sequence }
        if let silence {
            let time = max(end, silence.transition.occurredAt)
            ends.append(
                (
                    Transition(
                        type: .returned, fence: nil, occurredAt: time, confirmedAt: time, cause: .corrected, inferred: true,
                        fix: silence.transition.fix, lastHeard: silence.transition.lastHeard), silence.revision
                ))
        }
        for (fence, enter) in open.sorted(by: { $0.key < $1.key }) {
            let time = max(end, enter.transition.occurredAt)
            ends.append(
                (
                    Transition(
                        type: .exit, fence: fence, occurredAt: time, confirmedAt: time, cause: .corrected, inferred: true,
                        fix: enter.transition.fix,
                        visit: OpenVisit(enteredAt: enter.transition.occurredAt, cause: enter.transition.cause)), enter.revision
                ))
        }
    }
}
