import Model

/// A report that an operating system sends to an app without a request.
public struct RegistryReport: Hashable, Sendable {
    /// What is reported.
    public enum Content: Hashable, Sendable {
        /// The device has entered the region.
        case entered
        /// The device has left the region.
        case exited
        /// A registration failed after its call had returned.
        case failed(RegistryError)
    }

    /// The region that the report is about.
    public var region: RegionID
    /// What is reported.
    public var kind: Content
    /// When the operating system sent the report.
    public var at: Instant
    /// The device's newest fix at the time of the report.
    public var fix: Fix?

    /// Creates a report.
    public init(region: RegionID, kind: Content, at: Instant, fix: Fix? = nil) {
        self.region = region
        self.kind = kind
        self.at = at
        self.fix = fix
    }
}
