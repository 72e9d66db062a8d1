import Model
import Store

extension UnevaluatedPositions: JSONDescribed {
    package static let shape = JSONShape<UnevaluatedPositions>(
        "NotEvaluated",
        summary: "Late positions that are not evaluated, so that events and visits since then may be missing or wrong",
        .init("since", kind: .time, summary: "The time of the earliest of these positions", content: \.since),
        .init(
            "cause", kind: .word,
            summary:
                "pending: Picket evaluates them automatically; positionsMissing: they cannot be evaluated, because positions that "
                + "this needs were deleted or never kept", content: \.cause)
    ) { since, cause in
        UnevaluatedPositions(deviceId: "", since: since, cause: cause)
    }

    /// An element of a list for several devices.
    package static let listedShape = JSONShape<UnevaluatedPositions>(
        "NotEvaluatedOfDevice", summary: "Late positions of a device that are not evaluated",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.deviceId),
        JSONMember<UnevaluatedPositions, UnevaluatedPositions>(membersOf: shape, content: \.self)
    ) { deviceId, positions in
        UnevaluatedPositions(deviceId: deviceId, since: positions.since, cause: positions.cause)
    }
}

extension Queries {
    package typealias UnevaluatedPositions = Store.UnevaluatedPositions

    /// The positions that are not evaluated yet, of which a list of visits or a report should tell: at most 100 devices, by id.
    package func unevaluatedPositions(_ filter: EventFilter) throws(Problem) -> [UnevaluatedPositions] {
        guard hasStore else { return [] }
        return try store.unevaluatedPositions(of: filter.deviceId, until: filter.until)
    }
}

extension [UnevaluatedPositions] {
    /// Sentences for people: one about the positions that are evaluated later, and one about those that cannot be.
    package func sentences(in language: Language, zone: LocalTimeZone) -> [String] {
        UnevaluatedPositions.Cause.allCases.compactMap { cause in
            let found = filter { $0.cause == cause }
            guard let since = found.map(\.since).min() else { return nil }
            return language.report.notEvaluated(
                found.map(\.deviceId), since: Format.time(since, in: zone), isPossible: cause == .pending)
        }
    }
}
