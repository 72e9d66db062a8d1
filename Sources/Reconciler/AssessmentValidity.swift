import Model
import Registry

extension Assessment {
    /// The time from which on the same content of a registry may be assessed differently, because it was not confirmed for too long or
    /// because no report has come for too long; nil if time alone changes nothing.
    ///
    /// - Complexity: O(entries of the journal).
    public var unchangedUntil: Instant? {
        let now = snapshot.takenAt
        var earliest: Instant?
        func consider(_ moment: Instant) { if moment > now { earliest = min(earliest ?? moment, moment) } }
        let delay = candidates.profile.reportDelay.upperBound + 60
        func considerReport(_ moment: Instant) {
            // "At least" for a report that did not come (`FixEvidence`), "more than" for trust in the journal (`JournalConfidence`).
            consider(moment + delay)
            consider(moment + RegistryJournal.trustPeriod + 0.001)
        }
        for fix in context.fixes { consider(fix.time + delay) }
        for entry in journal.entries.values {
            considerReport(entry.at)
            consider(entry.addedAt + delay)
        }
        for state in journal.reportedStates.values { considerReport(state.at) }
        if let capacity = journal.capacity { consider(capacity.at + RegistryJournal.capacityLifetime + 0.001) }
        return earliest
    }
}
