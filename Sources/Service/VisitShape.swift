import Model

extension Visit: JSONDescribed {
    package static let shape = JSONShape<Visit>(
        "Visit", summary: "From enter to exit",
        .init("deviceId", kind: .text, summary: "Whose", content: \.deviceId),
        VisitMember.geofenceId, VisitMember.geofenceName, VisitMember.enteredAt,
        .init("exitedAt", optional: .time, summary: "To", content: \.exitedAt),
        .init("duration", optional: .number, summary: "Seconds from enter to exit, silences included", content: \.duration),
        VisitMember.lastSeenAt, VisitMember.seenSeconds, VisitMember.notSeenSince,
        .init("enterCause", kind: .word, summary: "Why", content: \.enterCause),
        .init("exitCause", optional: .word, summary: "Why", content: \.exitCause),
        .init("open", kind: .flag, summary: "It has not ended", content: \.isOpen)
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
    static let geofenceId = JSONMember<Visit, String>("geofenceId", kind: .text, summary: "Where", content: \.geofenceId)
    static let geofenceName = JSONMember<Visit, String>(
        "geofenceName", kind: .text, summary: "For people", content: \.geofenceName)
    static let enteredAt = JSONMember<Visit, Instant>("enteredAt", kind: .time, summary: "From", content: \.enteredAt)
    static let lastSeenAt = JSONMember<Visit, Instant?>(
        "lastSeenAt", optional: .time,
        summary:
            "Of the device's last position in the visit; absent when there is none, or positions that would tell were removed",
        content: \.lastSeenAt)
    static let seenSeconds = JSONMember<Visit, Double?>(
        "seenSeconds", optional: .number,
        summary: "For so long the device was seen in the visit: by positions no further apart than its silentAfter; absent when "
            + "positions that would tell were removed, and in /v1/status without seen=true",
        content: \.seenSeconds)
    static let notSeenSince = JSONMember<Visit, Instant?>(
        "notSeenSince", optional: .time,
        summary: "When the device was seen last, if more than its silentAfter passed from then to the exit, or to now",
        content: \.notSeenSince)
}
