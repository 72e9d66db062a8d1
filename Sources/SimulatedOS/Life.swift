import Geodesy
import Model
import Registry

// What happens to a phone, and to the regions on it.

extension SimulatedOS {
    /// A person changes the permission. Losing it clears the regions where the platform or its policy says so.
    public mutating func authorize(_ status: Authorization) {
        let hadAlways = settings.authorization == .always
        settings.authorization = status
        guard hadAlways && status != .always else { return forgetChangesIfDeaf() }
        disrupted(.permissionRevoked)
        // An iPhone that may still ask while in use has lost nothing but the background.
        if policies.permission == .cleared && (status != .whenInUse || profile.locationOffRemoves) { removeAll() }
        forgetChangesIfDeaf()
    }

    /// A person switches location off or on.
    public mutating func setLocationServices(_ enabled: Bool) {
        guard settings.locationServicesEnabled != enabled else { return }
        settings.locationServicesEnabled = enabled
        if !enabled {
            disrupted(.locationOff)
            if profile.locationOffRemoves { removeAll() }
        }
        forgetChangesIfDeaf()
    }

    /// A person switches the precise location for the app.
    public mutating func setPreciseLocation(_ enabled: Bool) {
        settings.preciseLocation = enabled
        forgetChangesIfDeaf()
    }

    /// A person switches Background App Refresh (iOS).
    public mutating func setBackgroundRefresh(_ enabled: Bool) {
        settings.backgroundRefresh = enabled
        forgetChangesIfDeaf()
    }

    /// A person switches battery optimisation (Android).
    public mutating func setBatteryOptimized(_ enabled: Bool) { settings.batteryOptimized = enabled }

    /// Sets for how many seconds a change must hold, within what the platform allows.
    public mutating func setPatience(_ seconds: Double) {
        settings.patience = min(max(seconds, profile.patience.lowerBound), profile.patience.upperBound)
    }

    public mutating func reboot() {
        disrupted(.reboot)
        for id in held.keys { held[id]?.change = nil }
        switch policies.reboot {
        case .keep: break
        case .drop: removeAll()
        case .emptyAtFirst: for id in held.keys { held[id]?.hiddenUntil = now + Self.emptiness }
        case .zombie: for id in held.keys { held[id]?.isWatched = false }
        }
    }

    /// The app is deleted and installed again, or restored to a new phone.
    public mutating func reinstall() {
        disrupted(.reinstall)
        removeAll()
    }

    public mutating func clearData() {
        guard profile.clearingDataRemoves else { return }
        disrupted(.dataCleared)
        removeAll()
    }

    public mutating func update() {
        disrupted(.update)
        if policies.update == .drop { removeAll() }
    }

    public mutating func forceStop() {
        disrupted(.forceStop)
        if policies.update == .drop { removeAll() }
    }

    // MARK: - What happens to a region

    /// The system loses regions without a word.
    public mutating func drop(_ ids: some Sequence<RegionID>) {
        for id in ids { held[id] = nil }
    }

    /// The system loses so many of our regions, picked by the seed; which ones is returned.
    public mutating func drop(_ count: Int) -> [RegionID] {
        let lost = Array(held.keys.filter(\.isOurs).sorted().shuffled(using: &dice).prefix(max(0, count))).sorted()
        drop(lost)
        return lost
    }

    /// A region is there that this app did not register in this life: an orphan of an earlier version, or another SDK's. False
    /// when the system has no slot for it.
    @discardableResult
    public mutating func add(_ region: Region) -> Bool {
        guard held[region.id] != nil || held.count < profile.limit, region.circle.center.isValid,
            profile.takes(radius: region.circle.radius)
        else { return false }
        held[region.id] = RegisteredRegion(region)
        settle(region.id, initialTrigger: [])
        return true
    }

    /// The system holds a region with another centre, so many metres to the north, and its radius larger by half of that.
    public mutating func drift(_ id: RegionID, metres: Double) {
        guard var region = held[id]?.region else { return }
        let north = metres / WGS84.shortestDegreeOfLatitude
        region.circle.center.latitude += region.circle.center.latitude + north > 90 ? -north : north
        region.circle.radius = min(region.circle.radius + metres / 2, profile.largestRadius ?? .infinity)
        held[id]?.region = region
        held[id]?.center = EarthVector(region.circle.center)
    }

    /// The system holds a region without its notifications.
    public mutating func deafen(_ id: RegionID) {
        held[id]?.region.notifyOnEntry = false
        held[id]?.region.notifyOnExit = false
    }

    /// The system lists a region and no longer watches it.
    public mutating func zombify(_ id: RegionID) {
        held[id]?.isWatched = false
        held[id]?.change = nil
    }

    /// Notes what happened, and lets a millisecond pass, so that whatever comes next is later.
    private mutating func disrupted(_ kind: RegistrySnapshot.Disruption) {
        disruptions[kind] = now
        advance(to: now + 0.001)
    }

    private mutating func removeAll() {
        held.removeAll()
        scheduled.removeAll()
        failures.removeAll()
    }

    private mutating func forgetChangesIfDeaf() {
        if isDeaf { for id in held.keys { held[id]?.change = nil } }
    }
}
