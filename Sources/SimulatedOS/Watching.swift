import Geodesy
import Model
import Registry

// The watching: enter at the edge, exit past the cushion, each when it has held for long enough; nothing while deaf.

extension SimulatedOS {
    /// Whether nothing can fire now: the app lacks the permission `always`, location is off or imprecise, or the app may not be
    /// woken (Apple: without Background App Refresh no region monitoring).
    public var isDeaf: Bool {
        settings.authorization != .always || !settings.locationServicesEnabled || !settings.preciseLocation
            || (profile.platform == .ios && !settings.backgroundRefresh)
    }

    /// Seconds for which a change must hold. A system that saves battery looks every few minutes only.
    var patience: Double { settings.batteryOptimized ? max(settings.patience, 180) : settings.patience }

    /// Moves the clock; a moment in the past changes nothing. What falls due on the way is told, in order of time.
    public mutating func advance(to moment: Instant) {
        while let due = nextDeadline, due <= moment {
            now = max(now, due)
            fire()
        }
        now = max(now, moment)
    }

    /// When something will happen by itself, if no fix and no call comes before.
    public var nextDeadline: Instant? {
        var next: Instant?
        func consider(_ moment: Instant) { next = min(next ?? moment, moment) }
        for failure in scheduled { consider(failure.at) }
        for report in delayed { consider(report.at) }
        for region in held.values {
            if let hidden = region.hiddenUntil { consider(hidden) }
            if let change = region.change, !isDeaf { consider(change.since + patience) }
        }
        return next
    }

    /// The device's next position. Positions older than the last are ignored, as the system has none of them twice.
    public mutating func observe(_ fix: Fix) {
        if let lastFix, fix.time < lastFix.time { return }
        advance(to: fix.time)
        lastFix = fix
        misfortune()
        guard !isDeaf else { return }
        let place = EarthVector(fix.coordinate)
        for id in held.keys.sorted() { look(at: id, from: place, fix.time) }
    }

    /// Tells what is due at `now`.
    private mutating func fire() {
        for failure in scheduled.sorted(by: { ($0.at, $0.id) < ($1.at, $1.id) }) where failure.at <= now {
            failures.removeAll { $0.id == failure.id }
            failures.append(failure)
            outbox.append(RegistryReport(region: failure.id, kind: .failed(failure.error), at: failure.at, fix: lastFix))
        }
        scheduled.removeAll { $0.at <= now }
        outbox += delayed.filter { $0.at <= now }
        delayed.removeAll { $0.at <= now }
        for id in held.keys.sorted() {
            if let hidden = held[id]?.hiddenUntil, hidden <= now {
                held[id]?.hiddenUntil = nil
                if held[id]?.state == .unknown { settle(id, initialTrigger: []) }
            }
            if let change = held[id]?.change, !isDeaf, change.since + patience <= now { tell(id, change) }
        }
    }

    /// Compares a place with what the system believes of a region.
    private mutating func look(at id: RegionID, from place: EarthVector, _ time: Instant) {
        guard let region = held[id], region.isWatched, region.hiddenUntil == nil else { return }
        let seen = side(of: place, region)
        guard region.state != .unknown else {
            held[id]?.state = seen
            return
        }
        if seen == region.state {
            held[id]?.change = nil
        } else if region.change?.to != seen {
            let change = RegisteredRegion.Change(to: seen, since: time)
            held[id]?.change = change
            if patience == 0 { tell(id, change) }
        }
    }

    /// Where a place lies; one that was inside stays so up to the cushion.
    private func side(of place: EarthVector, _ region: RegisteredRegion) -> RegionState {
        let chord = place.chordSquared(to: region.center).squareRoot()
        let cushion = region.state == .inside ? profile.exitCushion : 0
        return EarthVector.longestGeodesic(chord: chord) <= profile.usedRadius(region.region.circle.radius) + cushion
            ? .inside : .outside
    }

    /// What a region that was just added starts from: the last place known, without a report, unless one was asked for.
    mutating func settle(_ id: RegionID, initialTrigger: Region.InitialTrigger) {
        guard !isDeaf, let lastFix, let region = held[id] else { return }
        let seen = side(of: EarthVector(lastFix.coordinate), region)
        held[id]?.state = seen
        guard profile.hasInitialTrigger else { return }
        if seen == .inside && initialTrigger.contains(.enter) { report(id, .inside) }
        if seen == .outside && initialTrigger.contains(.exit) { report(id, .outside) }
    }

    private mutating func tell(_ id: RegionID, _ change: RegisteredRegion.Change) {
        held[id]?.state = change.to
        held[id]?.change = nil
        report(id, change.to)
    }

    private mutating func report(_ id: RegionID, _ state: RegionState) {
        guard let region = held[id]?.region, state == .inside ? region.notifyOnEntry : region.notifyOnExit else { return }
        let report = RegistryReport(region: id, kind: state == .inside ? .entered : .exited, at: now, fix: lastFix)
        if takesFault(.loseReport) { return }
        if let seconds = takesDelay() {
            var late = report
            late.at = now + seconds
            delayed.append(late)
        } else {
            outbox.append(report)
        }
    }
}
