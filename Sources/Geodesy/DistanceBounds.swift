/// What the chord between two places says of the geodesic between them, in metres: bounds that settle all but the closest questions.
///
/// 30 instructions from two vectors, where a geodesic takes 3,000.
public struct DistanceBounds: Hashable, Sendable {
    /// The geodesic is no shorter: the chord.
    public let atLeast: Double
    /// The geodesic is no longer.
    public let atMost: Double

    @inlinable @inline(__always)
    public init(_ a: EarthVector, _ b: EarthVector) {
        atLeast = a.chordSquared(to: b).squareRoot()
        atMost = EarthVector.atMostGeodesic(chord: atLeast)
    }

    /// Whether the geodesic is at most `limit` metres long; nil where the bounds leave that open.
    @inlinable @inline(__always)
    public func isWithin(_ limit: Double) -> Bool? {
        if limit < 0 || atLeast > limit + EarthVector.rounding { return false }
        return atMost <= limit ? true : nil
    }
}
