import Core
import Model
import Monitor
import Places
import Presence
import Store
import Timeline

// Replays that a person requests.

extension Queries {
    /// The devices that a replay has to evaluate.
    package struct ReplayPlan: Sendable {
        /// The ids of the devices to replay one by one.
        package var devices: [String]
        /// The result for all other devices, whose replay equals what is on record.
        package var counts = ReplayCounts()
    }

    /// Determines the devices to replay: one device, or all devices for which a replay would change something. In the second case, all
    /// stored inputs are evaluated once in order of arrival.
    ///
    /// - Parameters:
    ///   - backdating: Geofences that apply to the past instead of those on record; nil for none.
    ///   - progress: Receives the number of evaluated fixes and the total number of fixes.
    /// - Throws: `Problem.notFound` if the device is unknown.
    package func planReplay(
        device id: String?, backdating: Backdating? = nil, progress: @escaping (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(Problem) -> ReplayPlan {
        if let id { return ReplayPlan(devices: [try device(id: id).id]) }
        let count = try store.fixCount()
        let found = try store.snapshot { () throws(Problem) in
            try HistoryReplay.findDifferingDevices(store, policy: policy, backdating: backdating) { progress($0, count) }
        }
        var plan = ReplayPlan(devices: [])
        plan.counts.devices = found.others
        plan.counts.fixes = found.fixes
        plan.counts.unchanged = found.decisions
        for key in found.devices { if let stored = try store.device(key: key) { plan.devices.append(stored.device.id) } }
        return plan
    }
}

extension ServiceWriter {
    /// Continues or starts a replay of a device, which evaluates the stored fixes in the order of their times. At the end, saves what
    /// differs from the record.
    ///
    /// - Parameters:
    ///   - since: The replay starts at the last checkpoint before this moment; nil for all stored fixes.
    ///   - limit: The maximum number of fixes to evaluate in this call.
    /// - Returns: The result; nil if the method has to be called again.
    package func replayStep(
        device id: String, since: Instant?, limit: Int = .max
    ) throws(Problem) -> (counts: ReplayCounts, events: [Event])? {
        let known = ongoingReplay.take()
        let stored = try storedDevice(id: id)
        guard loadedState(ofDeviceAt: try loadDevice(of: stored)).newest != nil else { return (ReplayCounts(), []) }
        switch try continueReplay(
            known, of: stored, for: .request, limit: limit,
            begin: { () throws(Problem) -> DeviceReplay? in
                // The replay includes the late fixes that are waiting for an automatic replay.
                let from = try since.map { since throws(Problem) in
                    min(since, try startOfPendingReplay(of: stored.key) ?? since)
                }
                return try beginReplay(of: stored, from: from)
            })
        {
        case .unfinished: return nil
        case .impossible:
            var counts = ReplayCounts()
            counts.skipped = 1
            return (counts, [])
        case .evaluated(let replay): return try save(replay)
        }
    }
}

// MARK: - Hypothetical replays

extension Queries {
    /// Evaluates the stored fixes of devices in the order of their times, and reports what differs from the record. Nothing is saved.
    ///
    /// - Parameters:
    ///   - id: The id of the device; nil for all devices.
    ///   - since: The replay starts at the last checkpoint before this moment; nil for all stored fixes.
    ///   - policy: A decision policy for all devices; nil to use the policy of each device.
    ///   - fences: Geofences that exist during the whole replay, instead of those on record; nil for those on record.
    ///   - report: Called with each device for which something differs.
    package func simulateReplay(
        device id: String?, since: Instant?, policy policyOverride: PolicyOverride? = nil, fences: [Geofence]? = nil,
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }, report: (ReplayFinding) -> Void
    ) throws(Problem) -> ReplayCounts {
        var options = DeviceReplay.ReplayOptions()
        options.policy = policyOverride
        options.engine = try fences.map { fences throws(Problem) in
            TransitionEngine(fences: try hypotheticalFences(fences))
        }
        var counts = ReplayCounts()
        let devices = if let id { [try device(id: id)] } else { try devices() }
        let ids = devices.map(\.id)
        for (number, id) in ids.enumerated() {
            progress(number, ids.count)
            let finding = try store.snapshot { () throws(Problem) in
                let stored = try storedDevice(id: id)
                return try readTracks(of: [stored.key]) { () throws(Problem) in try simulateReplay(stored, since, options) }
            }
            guard let finding else { continue }
            counts.add(finding.counts)
            report(finding)
        }
        return counts
    }

    /// The hypothetical geofences as a set. Geofences that have the id of a saved one get its key.
    private func hypotheticalFences(_ fences: [Geofence]) throws(Problem) -> FenceSet {
        var next = try store.newestGeofenceKey().value
        var entries: [FenceSet.KeyedGeofence] = []
        for fence in fences {
            if let flaw = flaw(of: fence) { throw flaw }
            if let known = try store.geofence(id: fence.id) {
                entries.append(.init(key: known.key, geofence: fence))
            } else {
                next += 1
                entries.append(.init(key: FenceKey(next), geofence: fence))
            }
        }
        return FenceSet(revision: try store.fenceRevision(), entries)
    }

    /// Nil for a device that has never sent a fix.
    private func simulateReplay(
        _ stored: PicketStore.StoredDevice, _ since: Instant?, _ options: DeviceReplay.ReplayOptions
    ) throws(Problem) -> ReplayFinding? {
        let id = stored.device.id
        let known = try store.state(of: stored, policy: policy)
        guard known.newest != nil else { return nil }
        var finding = ReplayFinding(deviceId: id, counts: ReplayCounts(), wrong: [], right: [])
        guard let replay = try beginReplay(of: stored, from: since, options: options) else {
            finding.counts.skipped = 1
            return finding
        }
        _ = try replay.replay()
        // With another policy or other geofences, most events are confirmed at other times. These differences are not of interest.
        let isHypothetical = options.policy != nil || options.engine != nil
        let correction = try replay.correction(comparesConfirmation: !isHypothetical)
        finding.counts = ReplayCounts(correction, fixes: replay.fixes)
        for wrong in correction.wrongEvents {
            try store.forEachEvent(.only(wrong.sequence)) { finding.wrong.append($0) }
        }
        for right in correction.missingDecisions {
            finding.right.append(Event(supposed: right.transition, deviceId: id, geofence: right.geofence))
        }
        return finding
    }
}

extension Event {
    /// An event that is not on record, without id and number.
    init(supposed transition: Transition, deviceId: String, geofence: Geofence?) {
        self.init(
            id: "", sequence: 0, type: transition.type, deviceId: deviceId, geofenceId: geofence?.id,
            geofenceName: geofence?.name, occurredAt: transition.occurredAt, recordedAt: transition.confirmedAt,
            confirmedAt: transition.confirmedAt, crossedAt: transition.crossedAt, cause: transition.cause,
            inferred: transition.inferred, fix: transition.fix, enteredAt: transition.visit?.enteredAt,
            duration: transition.duration, lastHeard: transition.lastHeard, properties: geofence?.properties ?? [])
    }
}
