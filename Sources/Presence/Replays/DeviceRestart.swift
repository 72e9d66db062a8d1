import Core
import Model
import Monitor
import Store

extension ServiceWriter {
    /// Starts a device again that cannot be evaluated again, because earlier positions are missing: retracts its events from a moment on, ends
    /// the visits that are open then, and discards its state. Its next position is like its first one.
    ///
    /// The visits end at the moment, or now if that is earlier, because nothing is known about the device afterward. Events after
    /// that end that followed from the passing of time alone are retracted, too. A position that is older than that end, or than
    /// anything else that is left on record for the device, is late and cannot be evaluated. Therefore enters and exits alternate
    /// in order of time.
    package func restart(
        _ stored: PicketStore.StoredDevice, _ deviceIndex: Int, from moment: Instant
    ) throws(Problem) -> ReplayCounts {
        let state = loadedDevices[deviceIndex].state
        var counts = ReplayCounts()
        let isAffected = [state.lateBefore, state.lastHeard].contains { $0.map { $0 >= moment } ?? false }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            guard isAffected else {
                try store.updateReplay(of: stored.key, in: transaction)
                return counts
            }
            keepForUndo(deviceIndex)
            let notes = try store.replayNotes(of: stored.key)
            let standing = try store.decisions(of: stored.key, after: notes.after).filter { $0.retractedBy == nil }
            let now = clock.now()
            let restart = Restart(
                standing, from: moment, endingAt: min(moment, now), newestFix: try store.newestFixTime(of: stored.key))
            var sequence = try store.newestSequence()
            var events: [Event] = []
            func append(
                _ transition: Transition, _ revision: Int64, retracts: String? = nil, in transaction: borrowing Transaction
            ) throws(Problem) {
                sequence += 1
                let geofence = try transition.fence.flatMap { fence throws(Problem) in try store.geofence(fence, at: revision) }
                events.append(
                    try store.append(
                        transition, sequence: sequence, device: stored.key, deviceId: stored.device.id, geofence: geofence,
                        revision: revision, recordedAt: now, retracts: retracts, in: transaction))
            }
            for wrong in restart.wrong {
                let old = wrong.transition
                try append(
                    Transition(
                        type: .retracted, fence: old.fence, occurredAt: old.occurredAt, confirmedAt: old.confirmedAt,
                        cause: .corrected, fix: old.fix), wrong.revision, retracts: wrong.id, in: transaction)
            }
            for (exit, revision) in restart.ends { try append(exit, revision, in: transaction) }
            loadedDevices[deviceIndex].eventsUpTo = max(loadedDevices[deviceIndex].eventsUpTo, restart.end)
            // The inputs up to now must not be applied again after a crash.
            try writeStates(in: transaction)
            try recordStatesSaved(in: transaction)
            loadedDevices[deviceIndex].unsavedSightings = []
            try store.saveRestart(of: stored.key, at: restart.begin, in: transaction)
            var new = DeviceState(device: stored.device, policy: policy)
            try store.replaceState(&new, of: stored.key, applied: loadedDevices[deviceIndex].applied, in: transaction)
            loadedDevices[deviceIndex].state = try store.state(of: stored, policy: policy)
            try save(deviceIndex, in: transaction)
            try store.removeCheckpoints(of: stored.key, after: .earliest, in: transaction)
            // Late positions before the moment cannot be evaluated.
            try store.updateReplay(of: stored.key, in: transaction)
            replays?.remove(stored.key)
            try resolveUnevaluated(ofDevice: stored.key, at: now, in: transaction)
            publish(events)
            let evaluated = try evaluateRules(
                ofDeviceAt: deviceIndex, after: restart.wrong.map(\.transition) + restart.ends.map(\.exit), cause: .corrected,
                at: now,
                sequence: &sequence, in: transaction)
            scheduleDeadline(deviceIndex)
            counts.devices = 1
            counts.retracted = restart.wrong.count + evaluated.count { $0.type == .retracted }
            counts.new = restart.ends.count + evaluated.count { $0.type != .retracted }
            return counts
        }
    }
}

/// What a restart of a device changes in its record.
private struct Restart {
    /// When its open visits end.
    let end: Instant
    /// Everything that is left on record for the device is at most as new as this; nil if nothing is left.
    let begin: Instant?
    /// The events that are retracted.
    private(set) var wrong: [PicketStore.RecordedDecision] = []
    /// The ends of visits and of a silence, with the revisions of their geofences.
    private(set) var ends: [(exit: Transition, revision: Int64)] = []

    /// - Parameters:
    ///   - standing: The events of the device that were not retracted.
    ///   - newest: The time of the newest position that is left; nil if there is none.
    init(_ standing: [PicketStore.RecordedDecision], from moment: Instant, endingAt end: Instant, newestFix newest: Instant?) {
        self.end = end
        var enters: [FenceKey: [PicketStore.RecordedDecision]] = [:]
        var exits: [(fence: FenceKey, enteredAt: Instant)] = []
        var begin = newest
        var silence: PicketStore.RecordedDecision?
        // The order of time: a corrected event has a higher number than those that followed it.
        for decision in standing.sorted(by: { ($0.transition.occurredAt, $0.sequence) < ($1.transition.occurredAt, $1.sequence) })
        {
            let transition = decision.transition
            let time = max(transition.occurredAt, transition.confirmedAt)
            if time >= moment || time > end && (transition.inferred || transition.cause == .silence) {
                wrong.append(decision)
                continue
            }
            begin = max(begin ?? end, end, time)
            switch (transition.type, transition.fence) {
            case (.enter, let fence?): enters[fence, default: []].append(decision)
            case (.exit, let fence?): if let visit = transition.visit { exits.append((fence, visit.enteredAt)) }
            case (.silent, _): silence = decision
            case (.returned, _): silence = nil
            default: break
            }
        }
        self.begin = begin
        wrong.sort { $0.sequence < $1.sequence }
        for exit in exits {
            if let index = enters[exit.fence]?.firstIndex(where: { $0.transition.occurredAt == exit.enteredAt }) {
                enters[exit.fence]?.remove(at: index)
            }
        }
        if let silence {
            let time = max(end, silence.transition.occurredAt)
            ends.append(
                (
                    Transition(
                        type: .returned, fence: nil, occurredAt: time, confirmedAt: time, cause: .corrected, inferred: true,
                        fix: silence.transition.fix, lastHeard: silence.transition.lastHeard), silence.revision
                ))
        }
        for (fence, enter) in enters.sorted(by: { $0.key < $1.key }).flatMap({ key, open in open.map { (key, $0) } }) {
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
