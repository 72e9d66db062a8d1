import Core
import Model
import Places
import Presence
import Store
import Timeline

// Replays with the current geofences.

extension Queries {
    /// The versions of geofences that a request names.
    ///
    /// - Throws: `Problem.notFound` for a geofence that never existed, and `Problem.validationFailed` for one that was removed or switched
    ///   off, if the request does not include those.
    func backdating(of correction: PastCorrection) throws(Problem) -> Backdating {
        let revision = try store.fenceRevision()
        var versions: [FenceKey: PicketStore.FenceVersion?] = [:]
        for id in correction.geofences {
            let known = try store.fenceVersions(id: id)
            if known.isEmpty { throw try noGeofence(id) }
            if correction.includesRemoved { for version in known { versions[version.key] = .some(nil) } }
            let present = known.last { $0.isInEffect(at: revision) }
            if !correction.includesRemoved, !(present?.geofence.isActive ?? false) {
                throw .validationFailed(
                    field: "geofence", value: id, reason: present == nil ? .geofenceIsRemoved : .geofenceIsOff,
                    expected: Phrase("an active geofence, or add 'deleted' to retract its events"))
            }
            if let present {
                // The visits in an earlier geofence with this id would count twice.
                for version in known { versions[version.key] = .some(nil) }
                versions[present.key] = present
            }
        }
        if correction.geofences.isEmpty {
            for key in try store.replacedGeofences() { versions[key] = .some(nil) }
            if correction.includesRemoved {
                try store.forEachVersion(since: 0, latitudes: nil, known: []) { versions[$0.key] = .some(nil) }
            }
            try store.forEachVersion(since: revision, latitudes: nil, known: []) { version in
                if version.geofence.isActive || correction.includesRemoved { versions[version.key] = version }
            }
        }
        return Backdating(versions: versions, revision: revision, since: correction.since)
    }

    /// Determines the devices whose past the current geofences change; see `planReplay`.
    ///
    /// - Throws: The problems of `backdating(of:)`; `Problem.notFound` if the device is unknown; `Problem.validationFailed` if no position
    ///   is stored to evaluate.
    package func planCorrection(
        _ correction: PastCorrection, progress: @escaping (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(Problem) -> ReplayPlan {
        let backdating = try backdating(of: correction)
        let device = try correction.device.map { id throws(Problem) in try storedDevice(id: id).key }
        guard hasStore, try store.hasFixes(of: device, since: correction.since) else {
            let (field, value) =
                correction.since.map { ("since", $0.description) } ?? correction.device.map { ("device", $0) }
                ?? ("geofence", correction.geofences.first ?? "")
            throw .validationFailed(
                field: field, value: value, reason: .noPositionStored,
                expected: Phrase("a device and a time with stored positions"))
        }
        return try planReplay(device: correction.device, backdating: backdating, progress: progress)
    }

    /// Evaluates the past with current geofences, and reports what would change. Nothing is saved.
    ///
    /// - Parameter report: Called with each device for which something would change, or that cannot be evaluated.
    func simulateCorrection(
        _ correction: PastCorrection, progress: @escaping (_ done: Int, _ of: Int) -> Void = { _, _ in },
        report: (PastFinding) -> Void
    ) throws(Problem) -> ReplayCounts {
        let plan = try planCorrection(correction, progress: progress)
        var counts = plan.counts
        for (number, id) in plan.devices.enumerated() {
            progress(number, plan.devices.count)
            let finding = try store.snapshot { () throws(Problem) in
                let stored = try storedDevice(id: id)
                guard let replay = try beginCorrection(of: stored, try backdating(of: correction)) else {
                    return PastFinding(deviceId: id, passedOver: .positionsMissing)
                }
                _ = try replay.replay()
                return try self.finding(replay, try replay.correction())
            }
            counts.add(finding.counts)
            report(finding)
        }
        return counts
    }

    /// Late fixes that wait for a replay keep waiting. Nil if the device cannot be replayed, or if nothing is known about it now because
    /// its newest positions were removed: then no position would end the visits of older ones.
    func beginCorrection(
        of stored: PicketStore.StoredDevice, _ backdating: Backdating
    ) throws(Problem) -> DeviceReplay? {
        guard try store.state(of: stored, policy: policy).newest != nil else { return nil }
        var options = DeviceReplay.ReplayOptions()
        options.backdating = backdating
        options.lateFixesUpTo = 0
        return try beginReplay(of: stored, from: nil, options: options)
    }
}

extension ServiceWriter {
    /// Continues or starts to evaluate the past of a device with current geofences. At the end, what differs from the record is
    /// saved in one transaction, with entries of the input log that say which geofences apply to the past.
    ///
    /// - Parameters:
    ///   - known: The geofences of the request. They are read again when they have changed.
    ///   - limit: The maximum number of inputs to evaluate in this call.
    /// - Returns: What was changed; nil if the method has to be called again.
    func correctPastStep(
        _ correction: PastCorrection, _ known: inout Backdating?, device id: String, limit: Int
    ) throws(Problem) -> PastFinding? {
        let ongoing = ongoingReplay.take()
        let stored = try storedDevice(id: id)
        let deviceIndex = try loadDevice(of: stored)
        let revision = try store.fenceRevision()
        let backdating = if let known, known.revision == revision { known } else { try backdating(of: correction) }
        known = backdating
        switch try continueReplay(
            ongoing, of: stored, for: .correction(correction), limit: limit,
            begin: { () throws(Problem) in try beginCorrection(of: stored, backdating) })
        {
        case .unfinished: return nil
        case .impossible: return PastFinding(deviceId: id, passedOver: .positionsMissing)
        case .evaluated(let finished):
            let found = try finished.replay.correction()
            var finding = try finding(finished.replay, found)
            let state = try finalState(of: finished.replay, deviceIndex)
            let isSame = found.isEmpty && loadedState(ofDeviceAt: deviceIndex).difference(from: state) == nil
            if finding.passedOver != nil || isSame { return finding }
            let saved = try transaction { (transaction: borrowing Transaction) throws(Problem) in
                try saveCorrection(found, by: finished.replay, deviceIndex, isOfPast: true, in: transaction)
            }
            finding.counts = saved.counts
            return finding
        }
    }
}
