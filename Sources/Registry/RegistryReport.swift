import Model

/// A report that an operating system sends to an app on its own.
public struct RegistryReport: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case entered
        case exited
        /// A registration failed after its call had returned.
        case failed(RegistryError)
    }

    public var region: RegionID
    public var kind: Content
    /// When the operating system sent the report.
    public var at: Instant
    /// The device's newest fix at the time of the report.
    public var fix: Fix?

    public init(region: RegionID, kind: Content, at: Instant, fix: Fix? = nil) {
        self.region = region
        self.kind = kind
        self.at = at
        self.fix = fix
    }
}
