import Model

/// Decides whether a position is inside a fence, outside it, or in the uncertain zone between. The engine and the explanations of its
/// decisions share this criterion, for circles and polygons.
struct BoundaryCriterion {
    enum Side: Hashable {
        /// Certainly inside: d + c ≤ 0, where d is the distance from the boundary (negative inside) and c the counted accuracy.
        case inside
        /// Certainly outside: d − c > exit margin.
        case outside
        /// Neither: the fence's previous state stays.
        case unsure
    }

    /// A position whose distance from the boundary (negative inside) is at most `inner` is certainly inside. Meters, 0 or less.
    let insideLimit: Double
    /// A position whose distance from the boundary is more than `outer` is certainly outside. Meters, 0 or more.
    let outsideLimit: Double
    /// The policy's exit margin for this fence: meters past the boundary that still count as inside for a device that was inside.
    let margin: Double
    /// The margin that applies as long as the device stays: none for the stay point, whose accuracy improves.
    let lastingMargin: Double

    /// - Parameters:
    ///   - radius: The fence's radius in meters; for a polygon, the radius of the circle with the same area.
    ///   - isFirst: Whether nothing is known yet about the device and the fence. Then d ≤ 0 decides, unless the fix is coarse.
    @inline(__always)
    init(_ accuracy: EffectiveAccuracy, radius: Double, isFirst: Bool) {
        margin = accuracy.policy.exitMargin.meters(radius: radius)
        lastingMargin = accuracy.isMean ? 0 : margin
        let decides = isFirst && !accuracy.isCoarse
        insideLimit = decides ? 0 : -accuracy.countedInside(radius: radius)
        outsideLimit = decides ? 0 : accuracy.countedOutside + margin
    }

    /// - Parameter isWithin: Returns whether the position's distance from the boundary (negative inside) is at most the given number of
    ///   meters.
    @inline(__always)
    func side(isWithin: (Double) -> Bool) -> Side {
        isWithin(insideLimit) ? .inside : isWithin(outsideLimit) ? .unsure : .outside
    }
}
