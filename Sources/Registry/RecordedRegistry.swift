import Model

/// A registry of which it is on record what the phone holds, so that its health can be told at any time.
public protocol RecordedRegistry: RegionRegistry {
    /// What is known of the registry now. Waits for no repair and for no phone.
    ///
    /// - Throws: `Problem.registryUnavailable` while nothing is known or the system gives no answer; the problems of the file where a
    ///   registry is kept.
    func reading() throws(Problem) -> RegistryReading
}

/// What is known of a registry.
public struct RegistryReading: Sendable {
    public var snapshot: RegistrySnapshot
    /// What the system has told by itself and the journal does not have yet, in order.
    public var reports: [RegistryReport]
    /// When the phone reported it; nil for a phone that can be asked at any time.
    public var reportedAt: Instant?

    public init(_ snapshot: RegistrySnapshot, reports: [RegistryReport] = [], reportedAt: Instant? = nil) {
        self.snapshot = snapshot
        self.reports = reports
        self.reportedAt = reportedAt
    }
}
