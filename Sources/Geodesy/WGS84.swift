/// The WGS 84 ellipsoid (NGA.STND.0036), and what follows from its two defining numbers.
///
/// Computed properties, because the compiler folds them into constants; a stored one of another module costs a call for each use.
public enum WGS84 {
    /// Equatorial radius in metres.
    @inlinable public static var equatorialRadius: Double { 6_378_137.0 }
    /// Flattening.
    @inlinable public static var flattening: Double { 1 / 298.257223563 }
    /// Polar radius in metres.
    @inlinable public static var polarRadius: Double { equatorialRadius * (1 - flattening) }
    /// First eccentricity, squared.
    @inlinable public static var eccentricitySquared: Double { flattening * (2 - flattening) }

    /// The smallest radius of curvature anywhere on the ellipsoid, in metres: along the meridian at the equator, b²/a.
    @inlinable public static var smallestCurvatureRadius: Double { polarRadius * polarRadius / equatorialRadius }

    /// The shortest degree of latitude in metres: at the equator. A path between two latitudes is never shorter than this
    /// times their difference.
    @inlinable public static var shortestDegreeOfLatitude: Double { smallestCurvatureRadius * .pi / 180 }

    /// The largest radius of curvature anywhere on the ellipsoid, in metres: at the poles, a²/b.
    @inlinable public static var largestCurvatureRadius: Double { equatorialRadius * equatorialRadius / polarRadius }

    /// No degree is longer, in metres: neither of latitude, nor of longitude on the equator.
    @inlinable public static var longestDegree: Double { largestCurvatureRadius * .pi / 180 }

    /// No two places are further apart, in metres.
    @inlinable public static var halfWayRound: Double { 20_010_000.0 }
}
