import Model

/// A registry whose latest known content is stored, so that the device's health is available at any time.
public protocol RecordedRegistry: RegionRegistry {
    /// The latest known content of the registry. Waits neither for a running repair nor for the phone.
    ///
    /// - Throws: `Problem.registryUnavailable` if nothing is known yet or the operating system gives no answer, and the problems of the
    ///   file in which the registry is stored.
    func reading() throws(Problem) -> RegistryReading
}

/// The latest known content of a registry.
public struct RegistryReading: Sendable {
    public var snapshot: RegistrySnapshot
    /// The reports of the operating system that the journal does not have yet, in order.
    public var reports: [RegistryReport]
    /// When the phone reported the content; nil for a phone that can be queried at any time.
    public var reportedAt: Instant?

    public init(_ snapshot: RegistrySnapshot, reports: [RegistryReport] = [], reportedAt: Instant? = nil) {
        self.snapshot = snapshot
        self.reports = reports
        self.reportedAt = reportedAt
    }
}
