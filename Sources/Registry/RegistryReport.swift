import Model

/// What an operating system tells an app by itself.
public struct RegistryReport: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case entered
        case exited
        /// A registration failed after its call had returned.
        case failed(RegistryError)
    }

    public var region: RegionID
    public var kind: Kind
    /// When it was told.
    public var at: Instant
    /// The newest fix at that moment.
    public var fix: Fix?

    public init(region: RegionID, kind: Kind, at: Instant, fix: Fix? = nil) {
        self.region = region
        self.kind = kind
        self.at = at
        self.fix = fix
    }
}
