import Core
import Model
import Store

/// The positions that a retention period would delete.
package struct PositionDeletion: Hashable, Sendable {
    /// The number of positions that are older than the retention period.
    package var positions: Int
    /// The number of all stored positions.
    package var of: Int

    /// A retention period shorter than this number of seconds requires confirmation, because a person who writes `3m` may mean months.
    package static let shortestUnconfirmed = 3600.0

    package init(positions: Int, of: Int) {
        self.positions = positions
        self.of = of
    }

    /// When positions are deleted, in English.
    package enum Time: String, Sendable {
        case withinMinute = "within a minute"
        case whenServiceRuns = "when the service runs"
    }

    /// Refuses a retention period of less than an hour unless it is confirmed. A period of 0 is accepted if there are no positions, because
    /// nothing is lost.
    ///
    /// - Parameters:
    ///   - seconds: The period.
    ///   - text: The period as the person wrote it.
    ///   - time: When the positions would be deleted.
    /// - Throws: `Problem.validationFailed` of `field`.
    package func confirm(_ seconds: Double, _ text: String, field: String, isConfirmed: Bool, when time: Time) throws(Problem) {
        guard seconds < Self.shortestUnconfirmed, !isConfirmed, seconds > 0 || positions > 0 else { return }
        let reason: Phrase =
            seconds == 0
            ? Phrase(
                of, one: "it keeps no positions at all, so it would delete \(positions) of \(of) stored position",
                other: "it keeps no positions at all, so it would delete \(positions) of \(of) stored positions")
            : Phrase(
                of, one: "it means \(duration: seconds), so it would delete \(positions) of \(of) stored position",
                other: "it means \(duration: seconds), so it would delete \(positions) of \(of) stored positions")
        throw .validationFailed(
            field: field, value: text,
            reason: time == .withinMinute ? .withinMinute(reason) : .whenServiceRuns(reason),
            expected: Phrase("an hour or more (three months: 90d), or add --yes"))
    }
}

extension PositionDeletion: JSONDescribed {
    package static let shape = JSONShape<PositionDeletion>(
        "PositionDeletion", summary: "The positions that a retention period would delete",
        .init("positions", kind: .whole, summary: "The number of positions that are older", content: \.positions),
        .init("of", kind: .whole, summary: "The number of all positions", content: \.of)
    ) { positions, of in PositionDeletion(positions: positions, of: of) }
}

extension Queries {
    /// The number of positions that a retention period would delete now.
    ///
    /// - Parameters:
    ///   - id: The id of a device; nil for all devices that use the store's retention period.
    ///   - seconds: The retention period; 0 to keep none.
    package func countDeletable(ofDevice id: String?, keeping seconds: Double) throws(Problem) -> PositionDeletion {
        var key: DeviceKey?
        if let id {
            guard let stored = try store.device(id: id) else { return PositionDeletion(positions: 0, of: 0) }
            key = stored.key
        }
        guard hasStore else { return PositionDeletion(positions: 0, of: 0) }
        let moment = seconds == 0 ? Instant.latest : clock.now() + -min(seconds, Device.maximumKeepPositions)
        let count = try store.fixCount(of: key, before: moment)
        return PositionDeletion(positions: count.older, of: count.all)
    }
}
