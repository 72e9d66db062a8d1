import Model

/// The one rule by which a place is inside a fence, outside, or in the band between: for circles and polygons, for the engine and for
/// those who explain its decisions.
struct BoundaryRule {
    enum Side: Hashable {
        /// Certainly inside: d + c ≤ 0, where d is the distance from the boundary (negative inside) and c the counted accuracy.
        case inside
        /// Certainly outside: d − c > exit margin.
        case outside
        /// Neither: what was known holds.
        case unsure
    }

    /// Up to so many metres from the boundary a place is certainly inside; 0 or less.
    let inner: Double
    /// Beyond so many metres from the boundary a place is certainly outside; 0 or more.
    let outer: Double
    /// So many metres past the boundary count as out.
    let margin: Double

    /// - Parameters:
    ///   - radius: Metres; of a polygon, of the circle with the same area.
    ///   - isFirst: Whether nothing is known yet of the device and the fence; then d ≤ 0 decides, unless the fix is too coarse.
    @inline(__always)
    init(_ accuracy: EffectiveAccuracy, radius: Double, isFirst: Bool) {
        margin = accuracy.policy.exitMargin.metres(radius: radius)
        let decides = isFirst && !accuracy.isCoarse
        inner = decides ? 0 : -accuracy.inwards(radius: radius)
        outer = decides ? 0 : accuracy.outwards + margin
    }

    /// - Parameter isWithin: Whether the place lies at most so many metres outside the boundary; below 0, at least so many inside.
    @inline(__always)
    func verdict(_ isWithin: (Double) -> Bool) -> Side { isWithin(inner) ? .inside : isWithin(outer) ? .unsure : .outside }
}
