import Core
import Model
import Presence
import Reconciler
import Registry
import Store

extension Queries {
    /// Adds to a health how many enters and exits of each geofence the device's OwnTracks app, or the operator's own app, has
    /// reported in the last 30 days. Other registries are not changed.
    func withReportedTransitions(_ status: GeofenceHealthStatus) throws(Problem) -> GeofenceHealthStatus {
        if status.device.registry == .app { return try withObservedTransitions(status) }
        guard status.device.registry == .owntracks, let platform = status.device.platform else { return status }
        let stored = try storedDevice(id: status.device.id)
        let journal = try store.journal(of: stored.key)
        let start = clock.now() + -30 * 86_400
        var names: [String: String] = [:]
        var enters: [String: ReportedTransitions.TransitionTimes] = [:]
        var exits: [String: ReportedTransitions.TransitionTimes] = [:]
        var filter = EventFilter(deviceId: stored.device.id, since: start)
        filter.excludesRetracted = true
        try store.forEachEvent(filter) { event throws(Problem) in
            // An event that follows from the app's report says nothing about what the app reports.
            guard event.type == .enter || event.type == .exit, event.cause != .reconciled, let geofence = event.geofenceId,
                let entry = journal.entries[RegionID(geofence: geofence)], entry.phase == .registered,
                event.occurredAt >= entry.addedAt
            else { return }
            names[geofence] = event.geofenceName ?? geofence
            if event.type == .enter {
                enters[geofence, default: .init()].events.append(event.occurredAt)
            } else {
                exits[geofence, default: .init()].events.append(event.occurredAt)
            }
        }
        try store.forEachTransition(of: stored.key, since: start) { at, body throws(Problem) in
            guard let isEnter = body.isEnter, let geofence = try region(of: body, platform)?.geofence else { return }
            if isEnter {
                enters[geofence, default: .init()].reports.append(at)
            } else {
                exits[geofence, default: .init()].reports.append(at)
            }
        }
        var status = status
        status.reported = names.sorted { $0.key < $1.key }.map { id, name in
            ReportedTransitions(
                geofenceId: id, geofenceName: name, enters: enters[id] ?? .init(), exits: exits[id] ?? .init())
        }
        return status
    }
}
