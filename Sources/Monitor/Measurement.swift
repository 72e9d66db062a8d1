/// Where a fix lies relative to a fence, independent of earlier states.
package struct Measurement: Hashable, Sendable {
    /// The position of the fix relative to the fence.
    package enum Containment: String, CaseIterable, Sendable {
        /// Certainly inside: distance + counted accuracy ≤ 0.
        case inside
        /// Certainly outside: distance − counted accuracy > exit margin.
        case outside
        /// Neither: the previous state stays.
        case uncertain = "band"
        /// Neither, and the fix is coarser than the policy's `maxAccuracy`.
        case coarse
    }

    /// Geodesic distance from the fence's boundary in meters, negative inside; infinite if the fence has no boundary.
    package var distance: Double
    /// Meters of the fix's accuracy that count.
    package var countedAccuracy: Double
    /// The exit margin in meters.
    package var exitMargin: Double
    package var containment: Containment
}
