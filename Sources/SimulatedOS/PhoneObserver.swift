import Model
import Registry

/// What the owner of the simulated phones tells and asks while a service runs. Called on the owner's thread, which must not be held up.
public struct PhoneObserver: Sendable {
    /// Committed positions that phones have not been shown, in the order in which they came.
    public struct Missing: Sendable {
        public var positions: [RegistryFile.Positions]
        /// All positions up to this number are among them, or were shown before.
        public var upTo: Int64
        public var hasMore: Bool

        public init(_ positions: [RegistryFile.Positions], upTo: Int64, hasMore: Bool) {
            self.positions = positions
            self.upTo = upTo
            self.hasMore = hasMore
        }
    }

    /// A phone has told something by itself. It is told again with the phone's next position, until it is removed by
    /// `SimulatedPhones.removeReports(_:of:)`.
    public var told: @Sendable (Device, [RegistryReport]) -> Void
    /// Something could not be done for which nobody waits. Positions that a phone was not shown are shown later, unless this phone alone
    /// cannot be understood.
    public var failed: @Sendable (Problem) -> Void
    /// The committed positions after a number, a part of them at a time; nil: after the last that a run before this one has shown.
    public var missing: @Sendable (_ number: Int64?) throws(Problem) -> Missing

    public init(
        told: @escaping @Sendable (Device, [RegistryReport]) -> Void, failed: @escaping @Sendable (Problem) -> Void,
        missing: @escaping @Sendable (Int64?) throws(Problem) -> Missing
    ) {
        self.told = told
        self.failed = failed
        self.missing = missing
    }
}
