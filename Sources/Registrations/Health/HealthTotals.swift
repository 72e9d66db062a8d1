import Core
import Model
import Places
import Presence
import Reconciler
import Store

extension Queries {
    /// The numbers of devices by health.
    package struct HealthTotals: Hashable, Sendable {
        package var healthy = 0
        package var unhealthy = 0
        /// Devices whose registries gave no answer.
        package var unknown = 0
        /// Devices whose apps have not reported for too long. They are not counted as unknown.
        package var stale = 0
        /// Devices without a registry. They are not counted elsewhere.
        var notManaged = 0

        init() {}

        mutating func count(_ outcome: HealthCache.Outcome) {
            switch outcome.isHealthy {
            case true?: healthy += 1
            case false?: unhealthy += 1
            case nil where outcome.isStale: stale += 1
            case nil: unknown += 1
            }
        }
    }

    /// The current numbers of devices by health.
    ///
    /// - Parameter body: Called for each managed device, sorted by id, with its outcome, and with its health if it was assessed just now.
    /// - Complexity: Assesses the managed devices of whose assessment something has changed since the last query of this kind; without a service,
    ///   all managed devices.
    func healthTotals(
        _ body: (PicketStore.StoredDevice, HealthCache.Outcome, GeofenceHealthStatus?) throws(Problem) -> Void = { _, _, _ in }
    ) throws(Problem) -> HealthTotals {
        try holdingCandidates { () throws(Problem) in try countHealth(body) }
    }

    private func countHealth(
        _ body: (PicketStore.StoredDevice, HealthCache.Outcome, GeofenceHealthStatus?) throws(Problem) -> Void
    ) throws(Problem) -> HealthTotals {
        var totals = HealthTotals()
        var managed = 0
        var filter = DeviceFilter()
        filter.isManaged = true
        let revision = try store.fenceRevision()
        var after: String?
        repeat {
            let page = Page(try store.devices(filter, after: after, limit: 1001), limit: 1000, place: \.device.id)
            for stored in page.items {
                managed += 1
                let (outcome, status) = try healthOutcome(of: stored, fenceRevision: revision)
                totals.count(outcome)
                try body(stored, outcome, status)
            }
            after = page.next
        } while after != nil
        totals.notManaged = max(0, try store.deviceCount() - managed)
        return totals
    }

    /// The outcome for a device from the cache, or by an assessment.
    private func healthOutcome(
        of stored: PicketStore.StoredDevice, fenceRevision: Int64
    ) throws(Problem) -> (HealthCache.Outcome, GeofenceHealthStatus?) {
        guard let cache = isRestricted ? nil : healthCache else {
            let status = try health(of: stored.device).status
            return (HealthCache.Outcome(status), status)
        }
        let now = clock.now()
        if let known = cache.outcome(of: stored, fenceRevision: fenceRevision, appReportMaxAge: appReportMaxAge, at: now) {
            return (known, nil)
        }
        let version = cache.version
        let found = try assess(stored.device)
        let outcome = HealthCache.Outcome(found.status)
        if let validity = validity(of: found, of: stored, from: now), try store.fenceRevision() == fenceRevision {
            cache.store(
                .init(
                    outcome, of: stored, fenceRevision: fenceRevision, appReportMaxAge: appReportMaxAge, validity: validity,
                    version: version))
        }
        return (outcome, found.status)
    }

    /// The time for which the outcome of an assessment stays valid if nothing changes on which it depends; nil if it must not be
    /// kept.
    private func validity(
        of found: HealthAssessment, of stored: PicketStore.StoredDevice, from now: Instant
    ) -> Range<Instant>? {
        let status = found.status
        if status.isStale { return status.reportedAt.map { $0 + appReportMaxAge + 0.001..<Instant.latest } }
        guard let assessment = found.assessment else { return nil }
        // The time of a report that is ahead of the clock is taken as the present.
        guard stored.device.registry != .owntracks || assessment.snapshot.takenAt < now else { return nil }
        var end = Instant.latest
        if let reportedAt = status.reportedAt { end = min(end, reportedAt + appReportMaxAge) }
        if stored.device.registry == .simulated {
            end = min(end, assessment.unchangedUntil ?? end, found.registryChangesAt ?? end)
        }
        return now < end ? now..<end : nil
    }
}

extension Queries.HealthTotals: JSONWritable {
    package static let output = JSONOutput<Queries.HealthTotals>(
        "HealthTotals", summary: "The numbers of devices by health",
        .init("healthy", kind: .whole, summary: "Healthy devices", content: \.healthy),
        .init("unhealthy", kind: .whole, summary: "Unhealthy devices", content: \.unhealthy),
        .init("unknown", kind: .whole, summary: "Devices whose registries gave no answer", content: \.unknown),
        .init("stale", kind: .whole, summary: "Devices whose apps have not reported for too long", content: \.stale),
        .init("notManaged", kind: .whole, summary: "Devices without a registry", content: \.notManaged))
}
