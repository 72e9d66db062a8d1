import Core
import History
import Model
import Places
import Presence
import Service
import Store

// The long jobs of a service, which makes them in steps, from their beginning to their end.

extension ServiceWriter {
    /// Creates a rule from JSON, and evaluates its past.
    @discardableResult
    package func createRule(_ json: JSONValue) throws(Problem) -> RuleStatus {
        let (made, devices) = try makeRule(json)
        try evaluatePast(ofRule: made.rule.id, devices)
        return made
    }

    /// Changes the values of a group, and lets its devices inherit them, in one transaction.
    @discardableResult
    package func patchGroup(_ name: String, with patch: JSONValue, preview: GroupEdit? = nil) throws(Problem) -> GroupEdit {
        let preview = if let preview { preview } else { try previewGroup(name, with: patch) }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            var edit = preview.begun
            edit.group.defaults = try beginGroupPatch(name, with: patch, in: transaction)
            var next: DeviceKey? = DeviceKey(0)
            while let last = next {
                let step = try continueGroupPatch(name, after: last, in: transaction)
                edit.add(step)
                next = step.next
            }
            return edit
        }
    }

    /// Erases a device and all of its data.
    @discardableResult
    package func eraseDevice(id: String, rewriting: Bool = true) throws(Problem) -> DeviceErasure {
        var erasure = try eraseRecords(ofDevice: id, rewriting: rewriting)
        erasure.isGone = try finishErasures()
        return erasure
    }

    /// Removes the positions of a device from a moment on.
    @discardableResult
    package func removePositions(ofDevice id: String, since moment: Instant) throws(Problem) -> PositionRemoval {
        try finish(PositionRemovalJob(ofDevice: id, since: moment, limit: .max)).removal
    }

    /// Performs all steps of a job.
    package func finish<Job: LongJob>(_ job: Job) throws(Problem) -> Job {
        var job = job
        repeat { if job.needs.contains(.order) { try sortFixes() } } while try job.step(self)
        return job
    }

    /// Replays one device or all devices.
    ///
    /// - Parameter report: Called with the resulting events after they are on disk.
    package func replay(device id: String?, since: Instant?, report: ([Event]) -> Void = { _ in }) throws(Problem) -> ReplayCounts
    {
        let answer = try finish(RequestedReplayJob(try planReplay(device: id), since: since, limit: .max)).answer
        report(Array(answer.events))
        return answer.counts
    }

    /// Evaluates the past of one device or of all devices with current geofences.
    ///
    /// - Parameter report: Called for each device with what was changed, after it is on disk.
    package func correctPast(
        _ correction: PastCorrection, report: (PastFinding) -> Void = { _ in }
    ) throws(Problem) -> ReplayCounts {
        let answer = try finish(RequestedReplayJob(try planCorrection(correction), correction, limit: .max)).answer
        for finding in answer.past ?? [] { report(finding) }
        return answer.counts
    }
}
