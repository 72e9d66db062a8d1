import Core
import Model
import Places
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
    package typealias UnevaluatedPositions = Places.UnevaluatedPositions

    /// The positions that are not evaluated yet, which a list of visits or a report should mention: at most 100 devices, by id.
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
            let names = found.prefix(3).map(\.deviceId).joined(separator: ", ") + (found.count > 3 ? ", …" : "")
            let devices = found.count == 1 ? Phrase.verbatim(names) : Phrase("\(found.count) devices (\(names))")
            let time = Format.time(since, in: zone)
            let sentence =
                switch cause {
                case .pending:
                    Phrase(
                        """
                        Late positions of \(devices), the earliest from \(time), are not evaluated yet; visits since then may be missing or \
                        wrong.
                        """)
                case .positionsMissing:
                    Phrase(
                        """
                        Late positions of \(devices), the earliest from \(time), cannot be evaluated, because older positions were deleted \
                        or never kept; visits of that time do not include them.
                        """)
                }
            return sentence.text(in: language)
        }
    }
}
