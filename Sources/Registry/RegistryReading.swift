import Model

/// The latest known content of a registry.
public struct RegistryReading: Sendable {
    /// The content.
    public var snapshot: RegistrySnapshot
    /// The reports of the operating system that the journal does not have yet, in order.
    public var reports: [RegistryReport]
    /// When the phone reported the content; nil for a phone that can be queried at any time.
    public var reportedAt: Instant?

    /// Makes a reading.
    public init(_ snapshot: RegistrySnapshot, reports: [RegistryReport] = [], reportedAt: Instant? = nil) {
        self.snapshot = snapshot
        self.reports = reports
        self.reportedAt = reportedAt
    }
}
