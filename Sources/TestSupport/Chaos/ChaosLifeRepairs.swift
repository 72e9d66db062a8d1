import Reconciler
import Registry
import SimulatedOS

// The repairs of a life, and what the phone could not report meanwhile.

extension ChaosLife {
    mutating func repairIfRequested(_ record: (ChaosEntry) -> Void) {
        // A repair may itself lead to the next one.
        for _ in 0..<3 where isRepairRequested && running == nil {
            isRepairRequested = false
            evaluateNewestFix()
            report.repairCount += 1
            running = phone.beginRepair()
            proceed(record)
        }
    }

    mutating func proceed(_ record: (ChaosEntry) -> Void) {
        guard var repair = running else { return }
        wakesAt = nil
        var calls = 0
        var violations: [String] = []
        let progress = phone.proceed(&repair, killedAt: killAt) { operation, os in
            calls += 1
            if !operation.id.isOurs { violations.append("a call concerned another SDK's \(operation.id)") }
            if !os.profile.listsRegionsOverLimit, os.regions.count > os.profile.limit {
                violations.append("\(os.regions.count) regions were registered")
            }
        }
        report.callCount += calls
        report.violations += violations
        for change in phone.takeVisitChanges() { ledger.learn(change.geofence, isInside: change.isInside) }
        recordUsedFaults()
        switch progress {
        case .waiting(let deadline):
            running = repair
            wakesAt = deadline
        case .killed:
            killAt = nil
            endRepair()
            impairments.begin(.allRegions, .event(.appKilled), at: phone.os.now)
            emitEntry(.killedRepair(calls: calls), health: phone.health(), record)
        case .finished(let result):
            endRepair()
            conclude(result)
            emitEntry(.repair(calls: result.callCount), health: result.after, record)
        }
    }

    private mutating func endRepair() {
        running = nil
        for reported in heard { phone.journal.record(reported) }
        heard.removeAll()
        processReports()
    }

    /// Records the injected faults that calls and reports have used up.
    mutating func recordUsedFaults() {
        while waitingFaults.count > phone.os.faults.next.count {
            let used = waitingFaults.first { !phone.os.faults.next.contains($0) } ?? waitingFaults[0]
            if let index = waitingFaults.firstIndex(of: used) { waitingFaults.remove(at: index) }
            latestFault = .fault(used)
            impairments.begin(.allRegions, .event(.fault(used)), at: phone.os.now)
        }
    }

    /// Compares what the operating system really monitors with what was selected, and ends the impairments that are over.
    private mutating func conclude(_ result: RepairOutcome) {
        let now = phone.os.now
        needsFix = result.needsFix
        // Nothing has changed.
        if result.callCount == 0, result.isComplete, result.after.atRiskCount == 0, impairments.isEmpty { return }
        if let error = result.steps.lazy.compactMap(\.error).first {
            impairments.begin(.allRegions, .refusedCall(error), at: result.startedAt)
        }
        let assessment = phone.assess(listing: 0)
        let selection = assessment.selection
        impairments.end(at: now) { $0.cause == .atRisk }
        if selection.atRiskCount > 0 {
            for left in phone.assess(listing: selection.atRiskCount).selection.leftOut where left.isAtRisk {
                let id = phone.candidates.entries[left.number].id
                impairments.begin(.region(RegionID(geofence: id)), .atRisk, at: now)
            }
        }
        var needed = Dictionary(
            uniqueKeysWithValues: selection.chosen.map { pick in
                let region = phone.candidates.entries[pick.number].region
                return (region.id, phone.journal.alternatives[region.id]?.region ?? region)
            })
        if let sentinel = selection.sentinel { needed[.sentinel] = sentinel }
        let held = Dictionary(uniqueKeysWithValues: phone.os.regions.map { ($0.id, $0) })
        let wrong = Set(needed.values.filter { !isRight(held[$0.id], $0) }.map(\.id))
        impairments.end(at: now) { impairment in
            guard case .region(let id) = impairment.scope, impairment.cause != .atRisk else { return false }
            return !wrong.contains(id)
        }
        for id in wrong.sorted() where !impairments.concerns(id) {
            impairments.begin(.region(id), latestFault.map { .event($0) } ?? .incompleteRepair, at: now)
        }
        guard result.isComplete else { return }
        let lasting = Set(restorations.map(\.cause))
        impairments.end(at: now) { impairment in
            guard impairment.scope == .allRegions else { return false }
            if case .event(let event) = impairment.cause { return !lasting.contains(event) }
            return true
        }
    }

    private func isRight(_ held: Region?, _ needed: Region) -> Bool {
        guard let held, phone.os.isMonitoring(needed.id), held.circle == needed.circle, held.notifyOnExit else { return false }
        return held.notifyOnEntry || !needed.notifyOnEntry
    }
}
