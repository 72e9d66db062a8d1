import Geodesy

/// A circle that an operating system watches or is asked to watch.
public struct Region: Hashable, Sendable {
    /// What the operating system reports immediately after a region is added: Android's `INITIAL_TRIGGER_ENTER` and `INITIAL_TRIGGER_EXIT`.
    /// iOS has no equivalent.
    public struct InitialTrigger: OptionSet, Hashable, Sendable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Report an enter if the device is already inside.
        public static let enter = InitialTrigger(rawValue: 1)
        /// Report an exit if the device is outside.
        public static let exit = InitialTrigger(rawValue: 2)
    }

    /// The identifier, unique within an app.
    public var id: RegionID
    /// The circle as requested. The operating system may watch a larger one: see `PlatformProfile.usedRadius(_:)`.
    public var circle: Circle
    /// Whether enters are reported.
    public var notifyOnEntry: Bool
    /// Whether exits are reported.
    public var notifyOnExit: Bool
    /// An option of the call that adds the region. Regions that are read back do not contain it.
    public var initialTrigger: InitialTrigger

    /// Creates a region that reports enters and exits, unless specified otherwise.
    public init(
        id: RegionID, circle: Circle, notifyOnEntry: Bool = true, notifyOnExit: Bool = true, initialTrigger: InitialTrigger = []
    ) {
        self.id = id
        self.circle = circle
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.initialTrigger = initialTrigger
    }
}
