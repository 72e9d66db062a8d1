import Core
import Model
import Presence
import Store
import Timeline

/// What current geofences change in the past of a device.
package struct PastFinding: Sendable {
    /// What changes between the device and one geofence.
    package struct Change: Sendable {
        var geofenceId: String
        package var geofenceName: String
        /// The number of events that are retracted, and of those that are added.
        package var retracted = 0
        package var new = 0
        /// The first events that are retracted, and the first that are added. At most three of each.
        package var examples: [Example] = []

        static let exampleCount = 3

        /// The examples by time.
        package var examplesByTime: [Example] { examples.sorted { $0.event.occurredAt < $1.event.occurredAt } }
    }

    /// An event that is retracted, or one that is added, which has no id and number.
    package struct Example: Sendable {
        package var event: Event
        package var isNew: Bool
    }

    /// Why nothing was changed.
    package enum PassOverReason: String, Sendable, CaseIterable {
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
    package var passedOver: PassOverReason?

    init(deviceId: String, passedOver: PassOverReason? = nil) {
        self.deviceId = deviceId
        self.passedOver = passedOver
        if passedOver != nil { counts.skipped = 1 }
    }

    /// Whether there is anything to show to a person.
    package var isEmpty: Bool { changes.isEmpty && passedOver == nil }
}

extension PastFinding: JSONDescribed {
    /// Without `counts`, which are added up for all devices.
    package static let shape = JSONShape<PastFinding>(
        "PastFinding", summary: "What the current geofences change in the past of a device",
        .init("deviceId", kind: .text, summary: "Whose", content: \.deviceId),
        .init(
            "since", optional: .time, summary: "Of the first position that counts; absent when all count", content: \.since),
        .init("passedOver", optional: .word, summary: "Why nothing is changed", content: \.passedOver),
        .init("changes", kind: .list(of: .object), summary: "By geofence", content: \.changes)
    ) { deviceId, since, passedOver, changes in
        var finding = PastFinding(deviceId: deviceId, passedOver: passedOver)
        finding.since = since
        finding.changes = changes
        return finding
    }
}

extension PastFinding.Change: JSONDescribed {
    package static let shape = JSONShape<PastFinding.Change>(
        "PastChange", summary: "What changes between a device and a geofence",
        .init("geofenceId", kind: .text, summary: "Which", content: \.geofenceId),
        .init("geofenceName", kind: .text, summary: "For people", content: \.geofenceName),
        .init("retracted", kind: .whole, summary: "Events that are retracted", content: \.retracted),
        .init("new", kind: .whole, summary: "Events that are added", content: \.new),
        .init(
            "examples", kind: .list(of: .object), summary: "The first three of each, by time", content: \.examplesByTime)
    ) { geofenceId, geofenceName, retracted, new, examples in
        .init(geofenceId: geofenceId, geofenceName: geofenceName, retracted: retracted, new: new, examples: examples)
    }
}

extension PastFinding.Example: JSONDescribed {
    package static let shape = JSONShape<PastFinding.Example>(
        "PastExample", summary: "An event that is retracted or added",
        .init("retract", optional: .event, content: \.retractedEvent),
        .init("new", optional: .supposedEvent, content: \.newEvent)
    ) { (old, new) throws(JSONMismatch) -> PastFinding.Example in
        guard let event = old ?? new else { throw JSONMismatch(member: "new", expected: .object) }
        return .init(event: event, isNew: old == nil)
    }

    private var retractedEvent: Event? { isNew ? nil : event }
    private var newEvent: Event? { isNew ? event : nil }
}

extension Queries {
    /// Describes a finished replay with backdated geofences.
    func finding(_ replay: DeviceReplay, _ correction: Correction) throws(Problem) -> PastFinding {
        let id = replay.stored.device.id
        let fences = correction.wrongEvents.map(\.transition.fence) + correction.missingDecisions.map(\.transition.fence)
        if fences.contains(where: { !replay.isBackdated($0) }) { return PastFinding(deviceId: id, passedOver: .recordDiffers) }
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
            try store.forEachEvent(.only(wrong.sequence)) { changes[key]?.examples.append(.init(event: $0, isNew: false)) }
        }
        for right in correction.missingDecisions {
            guard let key = right.transition.fence, let known = changes[key]?.new else { continue }
            changes[key]?.new += 1
            guard known < PastFinding.Change.exampleCount else { continue }
            changes[key]?.examples.append(
                .init(event: Event(supposed: right.transition, deviceId: id, geofence: right.geofence), isNew: true))
        }
        finding.changes = changes.values.sorted { $0.geofenceId < $1.geofenceId }
        return finding
    }
}
