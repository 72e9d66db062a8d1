import Geodesy
import Model
import Registry

// Region monitoring: an enter is reported at the boundary, an exit beyond the exit buffer, each after the change has lasted long enough.
// Nothing is reported while `isDeaf` is true.

extension SimulatedOS {
    /// Whether no region can be reported now: the app lacks the permission `always`, location is off or imprecise, or iOS does not allow
    /// the app to run in the background (Apple: without Background App Refresh there is no region monitoring).
    package var isDeaf: Bool {
        settings.authorization != .always || !settings.locationServicesEnabled || !settings.preciseLocation
            || (profile.platform == .ios && !settings.backgroundRefresh)
    }

    /// Seconds for which a change must last. An operating system that saves battery checks the location only every few minutes.
    var patience: Double { settings.batteryOptimized ? max(settings.patience, 180) : settings.patience }

    /// Advances the clock, and sends the reports that become due, in order of time. A moment in the past changes nothing.
    package mutating func advance(to moment: Instant) {
        while let due = nextDeadline, due <= moment {
            now = max(now, due)
            processDue()
        }
        now = max(now, moment)
    }

    /// When the next report or change becomes due if there is no further fix or call; nil if nothing is pending.
    package var nextDeadline: Instant? {
        var next: Instant?
        func consider(_ moment: Instant) { next = min(next ?? moment, moment) }
        for failure in scheduled { consider(failure.at) }
        for report in delayed { consider(report.at) }
        for region in heldRegions.values {
            if let hidden = region.hiddenUntil { consider(hidden) }
            if let change = region.change, !isDeaf { consider(change.since + patience) }
        }
        return next
    }

    /// Processes the device's next position. A position that is older than the last one is ignored.
    package mutating func observe(_ fix: Fix) {
        if let lastFix, fix.time < lastFix.time { return }
        advance(to: fix.time)
        lastFix = fix
        damageRandomRegion()
        guard !isDeaf else { return }
        let place = EarthVector(fix.coordinate)
        // Most regions are unchanged by most positions, so only the others are sorted.
        var affected: [RegionID] = []
        for (id, region) in heldRegions where region.change != nil || side(of: place, region) != region.state {
            affected.append(id)
        }
        for id in affected.sorted() { updateState(of: id, from: place, fix.time) }
    }

    /// Sends the reports and makes the changes that are due at `now`.
    private mutating func processDue() {
        for failure in scheduled.sorted(by: { ($0.at, $0.id) < ($1.at, $1.id) }) where failure.at <= now {
            failures.removeAll { $0.id == failure.id }
            failures.append(failure)
            outbox.append(RegistryReport(region: failure.id, kind: .failed(failure.error), at: failure.at, fix: lastFix))
        }
        scheduled.removeAll { $0.at <= now }
        outbox += delayed.filter { $0.at <= now }
        delayed.removeAll { $0.at <= now }
        var changing: [RegionID] = []
        for (id, region) in heldRegions where region.hiddenUntil != nil || region.change != nil { changing.append(id) }
        for id in changing.sorted() {
            if let hidden = heldRegions[id]?.hiddenUntil, hidden <= now {
                heldRegions[id]?.hiddenUntil = nil
                if heldRegions[id]?.state == .unknown { setInitialState(id, initialTrigger: []) }
            }
            if let change = heldRegions[id]?.change, !isDeaf, change.since + patience <= now { applyChange(id, change) }
        }
    }

    /// Compares a position with the state that the operating system believes for a region, and starts, ends or reports a change.
    private mutating func updateState(of id: RegionID, from place: EarthVector, _ time: Instant) {
        guard let region = heldRegions[id], region.isWatched, region.hiddenUntil == nil, !region.isOverLimit else { return }
        let seen = side(of: place, region)
        guard region.state != .unknown else {
            heldRegions[id]?.state = seen
            if profile.reportsInitialState { sendReport(id, seen) }
            return
        }
        if seen == region.state {
            heldRegions[id]?.change = nil
        } else if region.change?.to != seen {
            let change = RegisteredRegion.Change(to: seen, since: time)
            heldRegions[id]?.change = change
            if patience == 0 { applyChange(id, change) }
        }
    }

    /// Whether a position is inside or outside a region. A device that was inside stays inside up to the exit buffer.
    private func side(of place: EarthVector, _ region: RegisteredRegion) -> RegionState {
        let chord = place.chordSquared(to: region.center).squareRoot()
        let reach = profile.usedRadius(region.region.circle.radius) + (region.state == .inside ? profile.exitBuffer : 0)
        // A geodesic is never shorter than its chord, and takes long to compute.
        return chord <= reach && EarthVector.longestGeodesic(chord: chord) <= reach ? .inside : .outside
    }

    /// Sets the initial state of a region that was just added from the last known position. Sends a report only if the initial trigger asks
    /// for it, or if the operating system reports the first state of each region.
    mutating func setInitialState(_ id: RegionID, initialTrigger: Region.InitialTrigger) {
        guard !isDeaf, let lastFix, let region = heldRegions[id], !region.isOverLimit else { return }
        let seen = side(of: EarthVector(lastFix.coordinate), region)
        heldRegions[id]?.state = seen
        if profile.reportsInitialState { return sendReport(id, seen) }
        guard profile.hasInitialTrigger else { return }
        if seen == .inside && initialTrigger.contains(.enter) { sendReport(id, .inside) }
        if seen == .outside && initialTrigger.contains(.exit) { sendReport(id, .outside) }
    }

    /// Applies a change that has lasted long enough, and reports it.
    private mutating func applyChange(_ id: RegionID, _ change: RegisteredRegion.Change) {
        heldRegions[id]?.state = change.to
        heldRegions[id]?.change = nil
        sendReport(id, change.to)
    }

    /// Sends an enter or exit if the region has the notification and no fault suppresses or delays it.
    private mutating func sendReport(_ id: RegionID, _ state: RegionState) {
        guard let region = heldRegions[id]?.region, state == .inside ? region.notifyOnEntry : region.notifyOnExit else { return }
        let report = RegistryReport(region: id, kind: state == .inside ? .entered : .exited, at: now, fix: lastFix)
        if consumeFault(.loseReport) { return }
        if let seconds = consumeReportDelay() {
            var late = report
            late.at = now + seconds
            delayed.append(late)
        } else {
            outbox.append(report)
        }
    }
}
