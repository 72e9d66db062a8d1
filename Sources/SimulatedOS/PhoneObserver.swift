import Model
import Registry

/// The callbacks of the owner of the simulated phones while a service runs. They are called on the owner's thread, and must not block it.
package struct PhoneObserver: Sendable {
    /// Committed positions that the phones have not processed yet, in order of arrival.
    package struct MissedPositions: Sendable {
        package var positions: [RegistryFile.Positions]
        /// The highest position number so far: all positions up to it are in `positions` or were processed before.
        package var upTo: Int64
        package var hasMore: Bool

        package init(_ positions: [RegistryFile.Positions], upTo: Int64, hasMore: Bool) {
            self.positions = positions
            self.upTo = upTo
            self.hasMore = hasMore
        }
    }

    /// A phone has sent reports. The same reports are passed again with the phone's next position, until they are removed with
    /// `SimulatedPhones.removeReports(_:of:)`.
    package var reportsReceived: @Sendable (Device, [RegistryReport]) -> Void
    /// Work that no caller waits for has failed. Positions that were not processed are processed later, unless the state of a single phone
    /// is unreadable.
    package var failed: @Sendable (Problem) -> Void
    /// Returns the committed positions after a number, in parts. With nil, it starts after the last position that an earlier run has
    /// processed.
    package var missedPositions: @Sendable (_ number: Int64?) throws(Problem) -> MissedPositions
    /// Called with the id of the device of each phone that is about to be saved or removed, while no other reader has access.
    package var willChange: @Sendable (String) -> Void = { _ in }
    /// Called when another process has changed phones; see `SimulatedPhones.checkForForeignChanges()`.
    package var othersChanged: @Sendable () -> Void = {}

    package init(
        reportsReceived: @escaping @Sendable (Device, [RegistryReport]) -> Void, failed: @escaping @Sendable (Problem) -> Void,
        missing: @escaping @Sendable (Int64?) throws(Problem) -> MissedPositions
    ) {
        self.reportsReceived = reportsReceived
        self.failed = failed
        self.missedPositions = missing
    }
}
