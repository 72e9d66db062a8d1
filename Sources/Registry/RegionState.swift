import Geodesy

/// Where an operating system believes the device to be relative to a region.
public enum RegionState: String, CaseIterable, Sendable {
    /// The device is inside the region.
    case inside
    /// The device is outside of the region.
    case outside
    /// The operating system does not know yet.
    case unknown
}
