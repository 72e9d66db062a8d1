import Geodesy
import Model
import Registry

// Events in the life of a phone, and their effects on its regions.

extension SimulatedOS {
    /// A person changes the permission. The loss of `always` removes the regions if the platform or its policy says so.
    package mutating func authorize(_ status: Authorization) {
        let hadAlways = settings.authorization == .always
        settings.authorization = status
        guard hadAlways && status != .always else { return discardChangesIfDeaf() }
        recordDisruption(.permissionRevoked)
        // On iOS, a change to `whenInUse` takes away only background location, and keeps the regions.
        if policies.permission == .cleared && (status != .whenInUse || profile.locationOffRemoves) { removeAll() }
        discardChangesIfDeaf()
    }

    /// A person switches location off or on.
    package mutating func setLocationServices(_ enabled: Bool) {
        guard settings.locationServicesEnabled != enabled else { return }
        settings.locationServicesEnabled = enabled
        if !enabled {
            recordDisruption(.locationOff)
            if profile.locationOffRemoves { removeAll() }
        }
        discardChangesIfDeaf()
    }

    /// A person switches precise location for the app on or off.
    package mutating func setPreciseLocation(_ enabled: Bool) {
        settings.preciseLocation = enabled
        discardChangesIfDeaf()
    }

    /// A person switches Background App Refresh on or off (iOS).
    package mutating func setBackgroundRefresh(_ enabled: Bool) {
        settings.backgroundRefresh = enabled
        discardChangesIfDeaf()
    }

    /// A person switches battery optimization on or off (Android).
    package mutating func setBatteryOptimized(_ enabled: Bool) { settings.batteryOptimized = enabled }

    /// Sets the seconds for which a change must last before it is reported, limited to the platform's range.
    package mutating func setPatience(_ seconds: Double) {
        settings.patience = min(max(seconds, profile.reportDelay.lowerBound), profile.reportDelay.upperBound)
    }

    package mutating func reboot() {
        recordDisruption(.reboot)
        for id in heldRegions.keys { heldRegions[id]?.change = nil }
        switch policies.reboot {
        case .keep: break
        case .drop: removeAll()
        case .emptyAtFirst: for id in heldRegions.keys { heldRegions[id]?.hiddenUntil = now + Self.emptyListDuration }
        case .zombie: for id in heldRegions.keys { heldRegions[id]?.isWatched = false }
        }
    }

    /// The app is deleted and installed again, or restored to a new phone.
    package mutating func reinstall() {
        recordDisruption(.reinstall)
        removeAll()
    }

    /// A person clears the app's data (Android). Does nothing on other platforms.
    package mutating func clearData() {
        guard profile.clearingDataRemoves else { return }
        recordDisruption(.dataCleared)
        removeAll()
    }

    package mutating func update() {
        recordDisruption(.update)
        if policies.update == .drop { removeAll() }
    }

    package mutating func forceStop() {
        recordDisruption(.forceStop)
        if policies.update == .drop { removeAll() }
    }

    // MARK: - Events in the life of a region

    /// The operating system loses regions without a report.
    package mutating func dropRegions(_ ids: some Sequence<RegionID>) {
        for id in ids { heldRegions[id] = nil }
        monitorWaitingRegions()
    }

    /// The operating system loses this many of Picket's regions, selected at random. Returns their identifiers, sorted.
    package mutating func dropRandomRegions(_ count: Int) -> [RegionID] {
        let lost = Array(heldRegions.keys.filter(\.isOurs).sorted().shuffled(using: &random).prefix(max(0, count))).sorted()
        dropRegions(lost)
        return lost
    }

    /// Adds a region that the app did not register in its current life: an orphan of an earlier version, or a region of another SDK.
    /// Returns false if the region is invalid or no slot is free.
    @discardableResult
    package mutating func add(_ region: Region) -> Bool {
        guard hasRoom(for: region.id), region.circle.center.isValid, profile.accepts(radius: region.circle.radius) else {
            return false
        }
        hold(RegisteredRegion(region))
        setInitialState(region.id, initialTrigger: [])
        return true
    }

    /// Moves a registered region's center north by a number of meters (south near the pole), and enlarges its radius by half as many.
    package mutating func drift(_ id: RegionID, meters: Double) {
        guard var region = heldRegions[id]?.region else { return }
        let north = meters / WGS84.shortestDegreeOfLatitude
        region.circle.center.latitude += region.circle.center.latitude + north > 90 ? -north : north
        region.circle.radius = min(region.circle.radius + meters / 2, profile.largestRadius ?? .infinity)
        heldRegions[id]?.region = region
        heldRegions[id]?.center = EarthVector(region.circle.center)
    }

    /// Switches off both notifications of a registered region. Does nothing on platforms without options for notifications.
    package mutating func deafen(_ id: RegionID) {
        guard profile.hasNotificationOptions else { return }
        heldRegions[id]?.region.notifyOnEntry = false
        heldRegions[id]?.region.notifyOnExit = false
    }

    /// The operating system still lists a region, but no longer watches it.
    package mutating func zombify(_ id: RegionID) {
        heldRegions[id]?.isWatched = false
        heldRegions[id]?.change = nil
    }

    /// Records a disruption, and advances the clock by a millisecond, so that everything after it has a later time.
    private mutating func recordDisruption(_ kind: RegistrySnapshot.Disruption) {
        disruptions[kind] = now
        advance(to: now + 0.001)
    }

    private mutating func removeAll() {
        heldRegions.removeAll()
        scheduled.removeAll()
        failures.removeAll()
    }

    private mutating func discardChangesIfDeaf() {
        if isDeaf { for id in heldRegions.keys { heldRegions[id]?.change = nil } }
    }
}
