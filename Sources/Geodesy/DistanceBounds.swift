/// Lower and upper bounds for the geodesic between two positions, in meters, computed from the chord. They decide all but the closest
/// comparisons.
///
/// The bounds take 30 instructions from two vectors; a geodesic takes 3,000.
public struct DistanceBounds: Hashable, Sendable {
    /// The geodesic is at least this long: the length of the chord.
    public let atLeast: Double
    /// The geodesic is at most this long.
    public let atMost: Double

    /// Computes the bounds of the geodesic between two positions.
    @inlinable @inline(__always)
    public init(_ a: EarthVector, _ b: EarthVector) {
        atLeast = a.chordSquared(to: b).squareRoot()
        atMost = EarthVector.atMostGeodesic(chord: atLeast)
    }

    /// Whether the geodesic is at most `limit` meters long; nil if the bounds do not decide it.
    @inlinable @inline(__always)
    public func isWithin(_ limit: Double) -> Bool? {
        if limit < 0 || atLeast > limit + EarthVector.roundingError { return false }
        return atMost <= limit ? true : nil
    }
}
