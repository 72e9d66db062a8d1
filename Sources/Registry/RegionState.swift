import Geodesy

/// Where an operating system believes the device to be relative to a region.
public enum RegionState: String, CaseIterable, Sendable {
    case inside, outside, unknown
}
