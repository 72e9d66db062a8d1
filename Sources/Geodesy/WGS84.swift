/// The WGS 84 ellipsoid (NGA.STND.0036): its two defining numbers and values derived from them.
///
/// The properties are computed, because the compiler folds them into constants. A stored property of another module would cost a call for
/// each use.
public enum WGS84 {
    /// Equatorial radius in meters.
    @inlinable public static var equatorialRadius: Double { 6_378_137.0 }
    /// Flattening.
    @inlinable public static var flattening: Double { 1 / 298.257223563 }
    /// Polar radius in meters.
    @inlinable public static var polarRadius: Double { equatorialRadius * (1 - flattening) }
    /// First eccentricity, squared.
    @inlinable public static var eccentricitySquared: Double { flattening * (2 - flattening) }

    /// The smallest radius of curvature on the ellipsoid in meters: b²/a, along the meridian at the equator.
    @inlinable public static var smallestCurvatureRadius: Double { polarRadius * polarRadius / equatorialRadius }

    /// The length of the shortest degree of latitude in meters, at the equator. A path between two latitudes is at least this times their
    /// difference.
    @inlinable public static var shortestDegreeOfLatitude: Double { smallestCurvatureRadius * .pi / 180 }

    /// The largest radius of curvature on the ellipsoid in meters: a²/b, at the poles.
    @inlinable public static var largestCurvatureRadius: Double { equatorialRadius * equatorialRadius / polarRadius }

    /// Upper bound for the length of a degree of latitude or longitude, in meters.
    @inlinable public static var longestDegree: Double { largestCurvatureRadius * .pi / 180 }

    /// Upper bound for the distance between two positions, in meters.
    @inlinable public static var longestDistance: Double { 20_010_000.0 }
}
