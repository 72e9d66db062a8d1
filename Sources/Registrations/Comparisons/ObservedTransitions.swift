import Comparison
import Core
import Model
import Presence
import Reconciler
import Registry
import Store

extension Queries {
    /// Adds to the health of a device with its own app, for each geofence, how many of the enters and exits since the app's first
    /// observation in the last 30 days it has observed. Without observations, nothing is added.
    func withObservedTransitions(_ status: GeofenceHealthStatus) throws(Problem) -> GeofenceHealthStatus {
        let stored = try storedDevice(id: status.device.id)
        let now = clock.now()
        var enters: [String: ReportedTransitions.TransitionTimes] = [:]
        var exits: [String: ReportedTransitions.TransitionTimes] = [:]
        var first: Instant?
        var watched = Set(status.registeredWithOS.compactMap(\.geofence))
        try store.forEachObservation(of: stored.key, from: now + -30 * 86_400, to: .latest) { json throws(Problem) in
            let observation = try AppObservation(json: json)
            first = first ?? observation.at
            guard case .transition(let kind, let region) = observation.content, let id = region.geofence else { return }
            watched.insert(id)
            switch kind {
            case .enter: enters[id, default: .init()].reports.append(observation.at)
            case .exit: exits[id, default: .init()].reports.append(observation.at)
            case .dwell: break
            }
        }
        guard let first else { return status }
        var names: [String: String] = [:]
        var filter = EventFilter(deviceId: stored.device.id, since: first)
        filter.excludesRetracted = true
        try store.forEachEvent(filter) { event throws(Problem) in
            // The app is notified of changes, not of the state before.
            guard event.type == .enter || event.type == .exit, event.cause != .initial, let id = event.geofenceId,
                watched.contains(id)
            else { return }
            names[id] = event.geofenceName ?? id
            if event.type == .enter {
                enters[id, default: .init()].events.append(event.occurredAt)
            } else {
                exits[id, default: .init()].events.append(event.occurredAt)
            }
        }
        var status = status
        status.reported = names.sorted { $0.key < $1.key }.map { id, name in
            ReportedTransitions(geofenceId: id, geofenceName: name, enters: enters[id] ?? .init(), exits: exits[id] ?? .init())
        }
        return status
    }
}
