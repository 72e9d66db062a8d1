import Model

/// An event as it was recorded over time: corrections retract it, and may record it again with other details, such as another `crossedAt`.
///
/// All versions have the device, geofence, rule, type and `occurredAt` in common, which is what people are notified of. So a person who was
/// notified of one version is not notified of the next one, and not of the retraction between them.
package struct EventVersions {
    /// The versions and their retractions, by number.
    private let entries: [OutboxEvent]

    /// - Parameters:
    ///   - outbox: A version, or the retraction of one.
    ///   - events: The device's events when `outbox` was recorded, by number.
    package init(of outbox: OutboxEvent, among events: [OutboxEvent]) {
        let identity = outbox.versionIdentity
        entries = events.filter { $0.versionIdentity == identity }
    }

    /// Whether a person has to be notified of a version or of a retraction.
    ///
    /// - Parameters:
    ///   - number: Its sequence number.
    ///   - admits: Whether the sink's settings allow a version, or do not prevent a retraction.
    ///   - isRejected: Whether the sink rejected the message about an event with this number.
    package func areNews(
        at number: Int64, admits: (OutboxEvent) throws(Problem) -> Bool, isRejected: (Int64) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        var isKnown = false
        for entry in entries {
            let isRetraction = entry.event.type == .retracted
            let isNews = isKnown == isRetraction && !entry.isReplaced ? try admits(entry) : false
            if entry.event.sequence == number { return isNews }
            if isNews, try !isRejected(entry.event.sequence) { isKnown = !isRetraction }
        }
        return false
    }
}

extension OutboxEvent {
    /// What the versions of an event have in common.
    package struct VersionIdentity: Hashable, Sendable {
        var deviceId: String
        var geofenceId: String?
        var rule: String?
        var type: EventType
        var occurredAt: Instant
    }

    /// Identifies the event, or the event that a retraction names.
    package var versionIdentity: VersionIdentity { (original ?? event).versionIdentity }
}

extension Event {
    package var versionIdentity: OutboxEvent.VersionIdentity {
        .init(deviceId: deviceId, geofenceId: geofenceId, rule: rule?.id, type: type, occurredAt: occurredAt)
    }
}
