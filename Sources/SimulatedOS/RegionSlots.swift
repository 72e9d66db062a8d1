import Registry

// The slots of a phone: how many regions it holds, and which of them it monitors.

extension SimulatedOS {
    /// Whether a region can be held: it is held already, a slot is free, or the platform also lists regions without a slot.
    func hasRoom(for id: RegionID) -> Bool {
        profile.listsRegionsOverLimit || heldRegions[id] != nil || heldRegions.count < profile.limit
    }

    /// Holds a region. If the platform lists regions without a slot and none is free, the region waits for one.
    mutating func hold(_ region: RegisteredRegion) {
        var region = region
        let id = region.region.id
        if !profile.hasNotificationOptions {
            region.region.notifyOnEntry = true
            region.region.notifyOnExit = true
        }
        if profile.listsRegionsOverLimit {
            heldRegions[id] = nil
            region.number = 1 + (heldRegions.values.map(\.number).max() ?? 0)
            region.isOverLimit = heldRegions.values.count { !$0.isOverLimit } >= profile.limit
        }
        heldRegions[id] = region
    }

    /// Monitors the regions that wait for a slot, in the order of their registration, as far as slots are free.
    mutating func monitorWaitingRegions() {
        guard profile.listsRegionsOverLimit else { return }
        let waiting = heldRegions.values.filter(\.isOverLimit)
        let free = profile.limit - (heldRegions.count - waiting.count)
        guard free > 0, !waiting.isEmpty else { return }
        for region in waiting.sorted(by: { ($0.number, $0.region.id) < ($1.number, $1.region.id) }).prefix(free) {
            let id = region.region.id
            heldRegions[id]?.isOverLimit = false
            if region.isWatched && region.hiddenUntil == nil { setInitialState(id, initialTrigger: []) }
        }
    }

    /// Whether the operating system monitors a region now. An app cannot see this.
    package func isMonitoring(_ id: RegionID) -> Bool {
        guard let region = heldRegions[id] else { return false }
        return region.isWatched && region.hiddenUntil == nil && !region.isOverLimit
    }

    /// Replaces the phone with one that has this profile: the app is installed again, and the policies are the usual ones.
    package mutating func use(_ profile: PlatformProfile) {
        self.profile = profile
        policies = Policies(profile)
        setPatience(settings.patience)
        reinstall()
    }
}
