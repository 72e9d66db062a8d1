import Geodesy
import Model
import Registry

/// The registered regions that a new selection should keep if possible.
public struct HeldRegions: Hashable, Sendable {
    /// The numbers of registered geofences among the candidates.
    public var fences: Set<Int>
    /// The registered sentinel, if it is listed and watched, and the device is not known to have left it.
    public var sentinel: Region?
    /// The sentinel that the repair in progress has begun to register. It is placed again if `sentinel` is nil, so that the
    /// selection does not change because a call was lost.
    var intendedSentinel: Region?

    /// Creates the set of regions to keep.
    public init(fences: Set<Int> = [], sentinel: Region? = nil) {
        self.fences = fences
        self.sentinel = sentinel
    }
}
