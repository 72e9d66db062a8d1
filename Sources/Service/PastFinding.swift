import Model
import Monitor
import Store
import Timeline

/// What present geofences change in the past of a device.
package struct PastFinding: Sendable {
    /// What changes between the device and one geofence.
    package struct Change: Sendable {
        package var geofenceId: String
        package var geofenceName: String
        /// The number of events that are retracted, and of those that are added.
        package var retracted = 0
        package var new = 0
        package init(geofenceId: String, geofenceName: String) {
            self.geofenceId = geofenceId
            self.geofenceName = geofenceName
        }

        /// The first events that are retracted, and the first that are added, without id and number. At most three of each.
        package var retractedExamples: [Event] = []
        package var newExamples: [Event] = []

        static let exampleCount = 3
    }

    /// Why nothing was changed.
    package enum Obstacle: String, Sendable, CaseIterable {
        /// There are no positions to begin with.
        case positionsMissing
        /// Events about other geofences would change too, so the record and the positions do not agree.
        case recordDiffers
    }

    package var deviceId: String
    package var counts = ReplayCounts()
    /// The time of the first position that counts; nil for all positions.
    package var since: Instant?
    /// Sorted by the geofence's id.
    package var changes: [Change] = []
    package var obstacle: Obstacle?

    package init(deviceId: String, obstacle: Obstacle? = nil) {
        self.deviceId = deviceId
        self.obstacle = obstacle
        if obstacle != nil { counts.skipped = 1 }
    }

    /// `{"deviceId","since","changes":[…],"passedOver"}`
    package var json: JSONValue {
        .compact([
            ("deviceId", .string(deviceId)), ("since", since.map { JSONValue($0) }),
            ("passedOver", obstacle.map { .string($0.rawValue) }), ("changes", .array(changes.map(\.json))),
        ])
    }
}

extension PastFinding.Change {
    /// `{"geofenceId","geofenceName","retracted","new","examples":[{"retract":{…}},{"new":{…}}]}`
    var json: JSONValue {
        [
            "geofenceId": .string(geofenceId), "geofenceName": .string(geofenceName), "retracted": JSONValue(retracted),
            "new": JSONValue(new), "examples": .array(examples.map { [($0.isNew ? "new" : "retract"): $0.event.supposedJSON] }),
        ]
    }

    /// The examples by time.
    package var examples: [(event: Event, isNew: Bool)] {
        (retractedExamples.map { ($0, false) } + newExamples.map { ($0, true) }).sorted { $0.0.occurredAt < $1.0.occurredAt }
    }
}

extension Queries {
    /// Describes a finished replay with backdated geofences.
    func finding(_ replay: DeviceReplay, _ correction: Correction) throws(Problem) -> PastFinding {
        let id = replay.stored.device.id
        let fences = correction.wrongEvents.map(\.transition.fence) + correction.missingDecisions.map(\.transition.fence)
        if fences.contains(where: { !replay.isBackdated($0) }) { return PastFinding(deviceId: id, obstacle: .recordDiffers) }
        var finding = PastFinding(deviceId: id)
        finding.counts = ReplayCounts(correction, fixes: replay.fixes)
        finding.since = replay.backdatedFrom
        var changes: [FenceKey: PastFinding.Change] = [:]
        for version in try store.fenceVersions(Set(fences.compactMap(\.self))) {
            changes[version.key] = .init(geofenceId: version.geofence.id, geofenceName: version.geofence.name)
        }
        for wrong in correction.wrongEvents {
            guard let key = wrong.transition.fence, let known = changes[key]?.retracted else { continue }
            changes[key]?.retracted += 1
            guard known < PastFinding.Change.exampleCount else { continue }
            var filter = EventFilter()
            filter.after = wrong.sequence - 1
            filter.pageSize = 1
            try store.forEachEvent(filter) { changes[key]?.retractedExamples.append($0) }
        }
        for right in correction.missingDecisions {
            guard let key = right.transition.fence, let known = changes[key]?.new else { continue }
            changes[key]?.new += 1
            guard known < PastFinding.Change.exampleCount else { continue }
            changes[key]?.newExamples.append(Event(supposed: right.transition, deviceId: id, geofence: right.geofence))
        }
        finding.changes = changes.values.sorted { $0.geofenceId < $1.geofenceId }
        return finding
    }
}
