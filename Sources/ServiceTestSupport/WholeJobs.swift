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

    /// Changes the same fields of several devices.
    package func patchDevices(_ change: DevicePatch, preview: DevicePatchResult? = nil) throws(Problem) -> DevicePatchResult {
        let preview = if let preview { preview } else { try previewPatch(change) }
        if preview.isRefused { return preview }
        var result = try patchEach(of: preview.devices.map(\.id), change, .always)
        result.isApplied = true
        result.addDeletions(of: preview)
        return result
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
        var ongoing = OngoingPositionRemoval(ofDevice: id, since: moment)
        while try !removePositionsStep(&ongoing, limit: .max) {}
        return ongoing.removal
    }

    /// Replays one device or all devices.
    ///
    /// - Parameter report: Called with the resulting events after they are on disk.
    package func replay(device id: String?, since: Instant?, report: ([Event]) -> Void = { _ in }) throws(Problem) -> ReplayCounts
    {
        let plan = try planReplay(device: id)
        if !plan.devices.isEmpty { try sortFixes() }
        var counts = plan.counts
        for id in plan.devices {
            var done: (counts: ReplayCounts, events: [Event])?
            while done == nil { done = try replayStep(device: id, since: since) }
            counts.add(done?.counts ?? ReplayCounts())
            report(done?.events ?? [])
        }
        return counts
    }

    /// Evaluates the past of one device or of all devices with current geofences.
    ///
    /// - Parameter report: Called for each device with what was changed, after it is on disk.
    package func correctPast(
        _ correction: PastCorrection, report: (PastFinding) -> Void = { _ in }
    ) throws(Problem) -> ReplayCounts {
        let plan = try planCorrection(correction)
        if !plan.devices.isEmpty { try sortFixes() }
        var counts = plan.counts
        for id in plan.devices {
            var finding: PastFinding?
            while finding == nil { finding = try correctPastStep(correction, device: id) }
            guard let finding else { continue }
            counts.add(finding.counts)
            report(finding)
        }
        return counts
    }
}
