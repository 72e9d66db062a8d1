import Model
import Store

/// What a transaction changes outside of the store once it is committed: what others see or are notified of. It is collected during the
/// transaction, and discarded if the transaction fails.
package struct TransactionEffects {
    /// The groups of the devices that were saved or removed.
    package var groups: [String: [String]] = [:]
    /// The zones of the times of these devices.
    package var timeZones: [String: LocalTimeZone?] = [:]
    /// The changes of geofences.
    package var candidateChanges: [Queries.CandidateChange] = []
    /// The devices whose health may have changed.
    package var health: Set<DeviceKey> = []
    /// The devices whose phones are removed.
    var removedPhones: [String] = []
    /// What others are notified of.
    var news = CommitNews()
    /// The events that follow from an edit of the geofences, and what gets them.
    package var following: (events: [Event], target: FollowingEvents?) = ([], nil)
}

extension ServiceWriter {
    /// Publishes the effects of a committed transaction.
    ///
    /// - Parameter hasWritten: See `CommitNews.hasWritten`.
    func publishEffects(hasWritten: Bool) {
        var effects = TransactionEffects()
        swap(&effects, &self.effects)
        if !effects.candidateChanges.isEmpty { sharedHealth?.recordChangeOfAll() }
        candidateCache.record(effects.candidateChanges)
        sharedHealth?.recordChange(of: effects.health)
        publish(groups: effects.groups, timeZones: effects.timeZones)
        for device in effects.removedPhones { phones.remove(device) }
        effects.news.removesPhones = !effects.removedPhones.isEmpty
        effects.news.hasWritten = hasWritten
        effects.following.target?.append(effects.following.events)
        news?.add(effects.news)
    }

    /// Publishes the groups of devices, and the zones of their times.
    func publish(groups: [String: [String]], timeZones: [String: LocalTimeZone?]) {
        deviceGroups.update(groups)
        inputTimeZones?.update(timeZones)
    }

    /// Publishes a notice when the open transaction is committed.
    package func publish(_ notice: @autoclosure () -> ServiceNotice) {
        if news != nil { effects.news.notices.append(notice()) }
    }

    /// Reports removed data to the parts of the service that may still send it, when the open transaction is committed.
    package func publish(_ removal: RemovedData) { effects.news.removals.append(removal) }

    /// Publishes that positions were saved, and where they have moved devices, when the open transaction is committed.
    package func publishPositions(ofDevicesAt indices: [Int]) {
        guard news != nil else { return }
        effects.news.hasPositions = true
        guard followsDevices() else { return }
        for deviceIndex in indices {
            guard let fix = loadedDevices[deviceIndex].state.newest else { continue }
            effects.news.moved.append(LivePosition(deviceId: loadedDevices[deviceIndex].state.device.id, fix: fix))
        }
    }

    /// Publishes events when the open transaction is committed.
    package func publish(_ events: [Event]) {
        if news != nil { effects.news.events.add(events) }
    }
}
