import Model

/// The latest known content of a registry.
public struct RegistryReading: Sendable {
    /// The content.
    public var snapshot: RegistrySnapshot
    /// The reports of the operating system that the journal does not have yet, in order.
    public var reports: [RegistryReport]
    /// When the phone reported the content; nil for a phone that can be queried at any time.
    public var reportedAt: Instant?
    /// How the operating system handles regions; nil if it is the registry's profile.
    public var profile: PlatformProfile?
    /// When the content may change without any call or position; nil if it does not.
    public var changesAt: Instant?

    /// Creates a reading.
    public init(
        _ snapshot: RegistrySnapshot, reports: [RegistryReport] = [], reportedAt: Instant? = nil, profile: PlatformProfile? = nil
    ) {
        self.snapshot = snapshot
        self.reports = reports
        self.reportedAt = reportedAt
        self.profile = profile
    }
}
