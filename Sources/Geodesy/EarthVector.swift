#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

/// A position as an earth-centered, earth-fixed (ECEF) vector from the center of the earth, in meters.
///
/// The chord between two such vectors bounds the geodesic between the positions at the cost of three multiplications:
///
/// - From below: no path on the surface is shorter than the chord.
/// - From above: the curvature of a geodesic is at most 1/R, where R = b²/a is the ellipsoid's smallest radius of curvature. By Schur's
///   comparison theorem, its length is at most 2R·asin(chord / 2R), for lengths up to πR.
///
/// The two bounds of 500 m differ by 0.0002 mm, those of 100 km by about one meter. Rounding adds at most `EarthVector.rounding`.
public struct EarthVector: Hashable, Sendable {
    /// Toward latitude 0, longitude 0.
    public var x: Double
    /// Toward latitude 0, longitude 90° east.
    public var y: Double
    /// Toward the north pole.
    public var z: Double

    /// Creates a vector from its components in meters.
    @inlinable
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The vector of a position on the ellipsoid, at height 0.
    @inlinable
    public init(_ place: Coordinate) {
        let (sine, cosine) = sineAndCosine(degrees: SIMD2(place.latitude, place.longitude))
        let normal = WGS84.equatorialRadius / (1 - WGS84.eccentricitySquared * sine.x * sine.x).squareRoot()
        x = normal * cosine.x * cosine.y
        y = normal * cosine.x * sine.y
        z = normal * (1 - WGS84.eccentricitySquared) * sine.x
    }

    /// The squared length of the chord to another position, in square meters.
    @inlinable
    public func chordSquared(to other: EarthVector) -> Double {
        let dx = x - other.x
        let dy = y - other.y
        let dz = z - other.z
        return dx * dx + dy * dy + dz * dz
    }

    /// Projects two positions to the azimuthal equidistant plane around this one. Returns the distance of each from this position in
    /// meters, and the dot product of their vectors in the plane.
    ///
    /// The horizontal part of a chord gives the direction, and the arc over the chord with the earth's mean radius gives the distance. This
    /// uses no trigonometry for short distances; its error is at most `equidistantError`.
    @inlinable
    public func equidistant(_ a: EarthVector, _ b: EarthVector) -> (a: Double, b: Double, product: Double) {
        // The normal of the ellipsoid x²/a² + y²/a² + z²/b² = 1, not normalized.
        let normal = EarthVector(x: x, y: y, z: z / (1 - WGS84.eccentricitySquared))
        let share = 1 / (normal.x * normal.x + normal.y * normal.y + normal.z * normal.z)
        let (ax, ay, az) = (a.x - x, a.y - y, a.z - z)
        let (bx, by, bz) = (b.x - x, b.y - y, b.z - z)
        let upA = ax * normal.x + ay * normal.y + az * normal.z
        let upB = bx * normal.x + by * normal.y + bz * normal.z
        let squareA = ax * ax + ay * ay + az * az
        let squareB = bx * bx + by * by + bz * bz
        let arcA = EarthVector.arc(chord: squareA.squareRoot(), radius: Self.meanRadius)
        let arcB = EarthVector.arc(chord: squareB.squareRoot(), radius: Self.meanRadius)
        // The horizontal parts of the chords.
        let alongA = squareA - upA * upA * share
        let alongB = squareB - upB * upB * share
        let along = ax * bx + ay * by + az * bz - upA * upB * share
        guard alongA > 0, alongB > 0 else { return (arcA, arcB, 0) }
        return (arcA, arcB, along * (arcA * arcB / (alongA * alongB).squareRoot()))
    }

    /// Upper bound in meters for the error of `equidistant` at a distance in meters: 0.02 mm at 10 km, 2 cm at 100 km.
    ///
    /// The angle between a geodesic and the normal section is less than 2.4e-4 (d / 6,371 km)² / 2. The mean radius is wrong by less than
    /// 0.7 %, which affects the difference between arc and chord.
    @inlinable
    public static func equidistantError(_ distance: Double) -> Double {
        let share = distance / 100_000
        return 0.02 * share * share * share
    }

    /// The mean radius of the earth (IUGG) in meters.
    @usableFromInline static let meanRadius = 6_371_008.8

    /// Upper bound for the rounding error of a computed chord, in meters. Coordinates of up to 6.4e6 m have an error of a few units in the
    /// last place (1e-9 m each); this is far more.
    public static let roundingError = 1e-6

    /// The longest geodesic with a chord of this length in meters; infinite where the bound of Schur's theorem does not hold.
    @inlinable
    public static func longestGeodesic(chord: Double) -> Double {
        let ratio = chord / (2 * WGS84.smallestCurvatureRadius)
        return ratio < 0.99 ? 2 * WGS84.smallestCurvatureRadius * asin(ratio) : .infinity
    }

    /// An upper bound for the arc over a chord in a circle of a radius, 2r·asin(chord / 2r), all in meters. For chords up to the radius it
    /// uses the series to the fifth power with a bound for the rest, which needs only multiplications; for longer chords it uses `asin`.
    @inlinable
    public static func arc(chord: Double, radius: Double) -> Double {
        // With a constant radius the compiler computes the reciprocal, which avoids a division.
        let ratio = chord * (1 / (2 * radius))
        if ratio > 0.5 { return ratio < 1 ? 2 * radius * asin(ratio) : .pi * radius }
        let square = ratio * ratio
        return chord * (1 + square * (1.0 / 6 + square * (0.075 + square * 0.06)))
    }

    /// An upper bound in meters for the geodesic with a chord of this length in meters.
    @inlinable
    public static func atMostGeodesic(chord: Double) -> Double {
        chord < WGS84.smallestCurvatureRadius
            ? arc(chord: chord, radius: WGS84.smallestCurvatureRadius) + roundingError
            : longestGeodesic(chord: chord) + roundingError
    }

    /// A length of chord in meters beyond which the geodesic is certainly longer than `length` meters.
    @inlinable
    public static func chordBeyond(length: Double) -> Double { length + roundingError }
}
