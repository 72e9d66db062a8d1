/// The WGS 84 ellipsoid (NGA.STND.0036), and what follows from its two defining numbers.
public enum WGS84 {
    /// Equatorial radius in metres.
    public static let equatorialRadius = 6_378_137.0
    /// Flattening.
    public static let flattening = 1 / 298.257223563
    /// Polar radius in metres.
    public static let polarRadius = equatorialRadius * (1 - flattening)
    /// First eccentricity, squared.
    public static let eccentricitySquared = flattening * (2 - flattening)

    /// The smallest radius of curvature anywhere on the ellipsoid, in metres: along the meridian at the equator, b²/a.
    public static let smallestCurvatureRadius = polarRadius * polarRadius / equatorialRadius

    /// The shortest degree of latitude in metres: at the equator. A path between two latitudes is never shorter than this
    /// times their difference.
    public static let shortestDegreeOfLatitude = smallestCurvatureRadius * .pi / 180

    /// The largest radius of curvature anywhere on the ellipsoid, in metres: at the poles, a²/b.
    public static let largestCurvatureRadius = equatorialRadius * equatorialRadius / polarRadius

    /// No degree is longer, in metres: neither of latitude, nor of longitude on the equator.
    public static let longestDegree = largestCurvatureRadius * .pi / 180

    /// No two places are further apart, in metres.
    public static let halfWayRound = 20_010_000.0
}
