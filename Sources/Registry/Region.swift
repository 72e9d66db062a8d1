import Geodesy

/// A circle that an operating system watches, or is asked to.
public struct Region: Hashable, Sendable {
    /// What the operating system should tell at once, when a region is added: Android's `INITIAL_TRIGGER_ENTER` and
    /// `INITIAL_TRIGGER_EXIT`. iOS knows nothing of the kind.
    public struct InitialTrigger: OptionSet, Hashable, Sendable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Tell an enter if the device is inside already.
        public static let enter = InitialTrigger(rawValue: 1)
        /// Tell an exit if the device is outside.
        public static let exit = InitialTrigger(rawValue: 2)
    }

    public var id: RegionID
    public var circle: Circle
    public var notifyOnEntry: Bool
    public var notifyOnExit: Bool
    /// A wish that goes with the call that adds the region; a list that is read back does not hold it.
    public var initialTrigger: InitialTrigger

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

/// Where an operating system believes the device to be.
public enum RegionState: String, CaseIterable, Sendable {
    case inside, outside, unknown
}
