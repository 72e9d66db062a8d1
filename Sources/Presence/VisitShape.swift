import Model

extension Visit: JSONDescribed {
    package static let shape = JSONShape<Visit>(
        "Visit", summary: "A visit of a device to a geofence",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.deviceId),
        VisitMember.geofenceId, VisitMember.geofenceName, VisitMember.enteredAt,
        .init("exitedAt", optional: .time, summary: "When the visit ended", content: \.exitedAt),
        .init("duration", optional: .number, summary: "Seconds from enter to exit, including silences", content: \.duration),
        VisitMember.lastSeenAt, VisitMember.seenSeconds, VisitMember.notSeenSince,
        .init("enterCause", kind: .word, summary: "Why the visit began", content: \.enterCause),
        .init("exitCause", optional: .word, summary: "Why the visit ended", content: \.exitCause),
        .init("open", kind: .flag, summary: "Whether the visit has not ended", content: \.isOpen)
    ) {
        deviceId, geofenceId, geofenceName, enteredAt, exitedAt, _, lastSeenAt, seenSeconds, notSeenSince, enterCause, exitCause,
        _ in
        Visit(
            deviceId: deviceId, geofenceId: geofenceId, geofenceName: geofenceName, enteredAt: enteredAt, exitedAt: exitedAt,
            enterCause: enterCause, exitCause: exitCause, lastSeenAt: lastSeenAt, seenSeconds: seenSeconds,
            notSeenSince: notSeenSince)
    }

    /// An open visit in a device's status, which does not contain the device and why the visit began.
    package static let insideShape = JSONShape<Visit>(
        "VisitInside", summary: "A visit that has not ended",
        VisitMember.geofenceId, VisitMember.geofenceName, VisitMember.enteredAt, VisitMember.lastSeenAt, VisitMember.seenSeconds,
        VisitMember.notSeenSince
    ) { geofenceId, geofenceName, enteredAt, lastSeenAt, seenSeconds, notSeenSince in
        Visit(
            deviceId: "", geofenceId: geofenceId, geofenceName: geofenceName, enteredAt: enteredAt, exitedAt: nil,
            enterCause: .moved, exitCause: nil, lastSeenAt: lastSeenAt, seenSeconds: seenSeconds, notSeenSince: notSeenSince)
    }

    private var isOpen: Bool { exitedAt == nil }
}

/// The members that both shapes of visits have.
private enum VisitMember {
    static let geofenceId = JSONMember<Visit, String>(
        "geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceId)
    static let geofenceName = JSONMember<Visit, String>(
        "geofenceName", kind: .text, summary: "The geofence's name", content: \.geofenceName)
    static let enteredAt = JSONMember<Visit, Instant>(
        "enteredAt", kind: .time, summary: "When the visit began", content: \.enteredAt)
    static let lastSeenAt = JSONMember<Visit, Instant?>(
        "lastSeenAt", optional: .time,
        summary:
            "The time of the device's last position in the visit; omitted when there is none or the positions were deleted",
        content: \.lastSeenAt)
    static let seenSeconds = JSONMember<Visit, Double?>(
        "seenSeconds", optional: .number,
        summary:
            "Seconds for which the device was seen in the visit: between positions no further apart than its silentAfter; omitted "
            + "in /v1/status without seen=true",
        content: \.seenSeconds)
    static let notSeenSince = JSONMember<Visit, Instant?>(
        "notSeenSince", optional: .time,
        summary: "When the device was last seen, if more than its silentAfter passed until the exit or until now",
        content: \.notSeenSince)
}
