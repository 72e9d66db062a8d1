import Model
import Monitor
import Reconciler
import Registry
import SimulatedOS
import Store

// What phones report about their regions.

extension Queries {
    /// The device with its newest fix and its open visits.
    package func context(of stored: PicketStore.StoredDevice) throws(Problem) -> DeviceContext {
        let newest = try store.state(of: stored, policy: policy).newest
        return DeviceContext(
            device: stored.device, fixes: newest.map { [$0] } ?? [], openVisits: try store.openVisits(of: stored.key))
    }
}

extension ServiceWriter {
    /// Removes a device's simulated phone. While a service runs, the phone is removed after the open transaction is committed.
    package func removePhone(of device: String) throws(Problem) {
        if phones.isServing {
            effects.removedPhones.append(device)
        } else {
            try phones.onThisThreadIfFound { file throws(Problem) in try file.remove(device) }
        }
    }

    /// Records reports that a phone's operating system has sent. Reports that are newer than the device's last fix and contradict the
    /// recorded visits become events with the cause `reconciled`.
    ///
    /// - Parameter isAnswer: Whether the reports were read by a repair, so that the first one of an added region answers what its state is.
    /// - Returns: The contradictions that are evidence beside the last fix.
    @discardableResult
    package func recordReports(
        _ reports: [RegistryReport], of stored: PicketStore.StoredDevice, isAnswer: Bool = false
    ) throws(Problem) -> [ReconciledState] {
        if reports.isEmpty { return [] }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try recordReports(reports, of: stored, isAnswer: isAnswer, in: transaction)
        }
    }

    /// Records reports like `recordReports(_:of:isAnswer:)`, within a transaction.
    @discardableResult
    package func recordReports(
        _ reports: [RegistryReport], of stored: PicketStore.StoredDevice, isAnswer: Bool = false,
        in transaction: borrowing Transaction
    ) throws(Problem) -> [ReconciledState] {
        if reports.isEmpty { return [] }
        if stored.device.autoRepair, reports.contains(where: \.asksForRepair) {
            repairHints.failedOrLeftSentinel.insert(stored.device.id)
        }
        var journal = try usableJournal(of: stored, in: transaction)
        let added = isAnswer ? journal.regionsOfUnknownState : []
        for report in reports { journal.record(report) }
        if !PlatformProfile(stored.device.platform ?? .ios).supportsStateRequests { journal.recordStates(from: reports) }
        try store.save(journal, of: stored.key, in: transaction)
        let contradictions = try context(of: stored).contradictions(of: reports, added: added)
        return contradictions.isEmpty ? [] : try reconcile(contradictions, stored, in: transaction)
    }

    /// The journal of a device's registrations, for a change of it. A journal that cannot be read is kept separately and reported
    /// as a problem, and a new one is begun, so that the device can be repaired.
    package func usableJournal(
        of stored: PicketStore.StoredDevice, in transaction: borrowing Transaction
    ) throws(Problem) -> RegistryJournal {
        let (journal, flaw) = try store.readJournal(of: stored.key)
        guard let flaw else { return journal }
        let now = clock.now()
        try store.setAsideJournal(of: stored.key, at: now, in: transaction)
        try record(
            .registryJournalDamaged(device: stored.device.id, reason: flaw),
            source: DeviceProblem.journal.source(of: stored.device.id), at: now, in: transaction)
        return journal
    }

    /// Applies region states that are newer than the last fix and contradict it. The resulting events have the cause `reconciled`, so that
    /// visits end.
    ///
    /// - Returns: The states that are evidence beside the last fix; see `RegionCandidates.RegionCandidate.isEvidence`.
    @discardableResult
    package func reconcile(
        _ states: [ReconciledState], _ stored: PicketStore.StoredDevice, in transaction: borrowing Transaction
    ) throws(Problem) -> [ReconciledState] {
        guard let deviceIndex = try deviceIndex(of: stored.device.id) else { return [] }
        let profile = PlatformProfile(stored.device.platform ?? .ios)
        let newest = loadedDevices[deviceIndex].state.newest
        var proved: [ReconciledState] = []
        for known in states {
            guard let geofence = try store.geofence(id: known.geofenceID)?.geofence else { continue }
            let entry = RegionCandidates.RegionCandidate(geofence, for: profile)
            if entry.isEvidence(known.state, beside: newest, profile) { proved.append(known) }
        }
        for known in proved.sorted(by: { ($0.at, $0.geofenceID) < ($1.at, $1.geofenceID) }) where known.state != .unknown {
            guard let fence = try store.geofence(id: known.geofenceID)?.key else { continue }
            // While a repair waits, a simulated phone's clock runs ahead of the service's clock.
            let moment = min(known.at, clock.now())
            _ = try apply(
                .report(fence, isInside: known.state == .inside, at: moment), toDeviceAt: deviceIndex, in: transaction)
        }
        return proved
    }
}

extension RegistryReport {
    /// Whether the report means that the registrations may no longer be right.
    fileprivate var asksForRepair: Bool {
        switch kind {
        case .failed: true
        case .exited: region == .sentinel
        case .entered: false
        }
    }
}

extension Problem {
    /// Whether the problem concerns the file of the simulated phones.
    package func concernsRegistryFile(of directory: DataDirectory) -> Bool {
        switch self {
        case .storeCorrupt(let path, _), .storeFull(let path), .storeBusy(let path, _), .storeFailed(let path, _),
            .storeTooNew(let path, _, _), .migrationFailed(let path, _, _), .fileFailed(let path, _), .diskFailed(let path, _):
            path == directory.registryFilePath
        default: false
        }
    }
}
