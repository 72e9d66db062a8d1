import Core
import Geocoding
import Model
import Presence
import Store

/// Deletes positions at the end of their retention period.
package struct RetentionJob: LongJob {
    /// The total of all steps, and the number of positions that the last one has deleted.
    package private(set) var total = Queries.Trim()
    package private(set) var removedInStep = 0
    /// The time of the last step.
    package private(set) var time = Instant.earliest
    private let keepPositions: Double?

    /// - Parameter keepPositions: The retention period in seconds for devices without their own; nil for unlimited.
    package init(keepPositions: Double?) { self.keepPositions = keepPositions }

    package mutating func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        time = service.clock.now()
        let step = try service.trimPositions(keeping: keepPositions, now: time)
        total.add(step)
        removedInStep = step.removed
        return step.hasMore
    }
}

extension ServiceWriter {
    /// Deletes stored positions that are older than the retention period of their device, or the store's for devices without their own.
    /// Also deletes answers of the geocoder that are too old. This is one short transaction, so that incoming positions are not delayed.
    /// Events, visits and states are kept.
    ///
    /// Call it periodically, and again immediately while more work remains.
    ///
    /// The free space in the file is used for new data. The file becomes smaller only when it is rewritten (`rewrite()`). If a deleted
    /// position is sent again, it is not recognized as a duplicate.
    ///
    /// - Parameters:
    ///   - keeping: The retention period in seconds for devices without their own; nil for unlimited, 0 to keep none.
    ///   - limit: The maximum number of positions to examine.
    /// - Returns: The number of deleted positions, and whether more positions have to be examined.
    @discardableResult
    package func trimPositions(keeping: Double?, now: Instant, limit: Int = 5000) throws(Problem) -> Trim {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.removeExpiredGeocoderAnswers(at: now, in: transaction)
            let step = try store.trimFixes(keeping: keeping, now: now, limit: limit, in: transaction)
            effects.health.formUnion(step.devices)
            // A replay reads its fixes step by step, and would miss those that were removed.
            for device in step.devices { interruptReplay(ofDevice: device) }
            for device in step.devicesWithWaitingFixes.sorted() {
                try resolveUnevaluated(ofDevice: device, at: now, in: transaction)
            }
            return step
        }
    }
}

extension Queries {
    package typealias Trim = PicketStore.TrimStep
}
