/// A place as a vector from the centre of the earth, in metres (earth-centred, earth-fixed).
///
/// The straight line (chord) between two such vectors bounds the geodesic between the places from both sides, for the
/// price of three multiplications:
///
/// - below: nothing on the surface is shorter than the chord;
/// - above: a geodesic's curvature is at most 1/R with R = b²/a, the ellipsoid's smallest radius of curvature, so by Schur's
///   comparison theorem its length is at most 2R·asin(chord / 2R) (for lengths up to πR).
///
/// For a 500 m circle the two bounds lie 0.0002 mm apart, for 100 km about a metre. Rounding adds at most
/// `EarthVector.rounding`.
public struct EarthVector: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var z: Double

    @inlinable
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The vector of a place on the ellipsoid (height 0).
    @inlinable
    public init(_ place: Coordinate) {
        let (sine, cosine) = sineAndCosine(degrees: SIMD2(place.latitude, place.longitude))
        let normal = WGS84.equatorialRadius / (1 - WGS84.eccentricitySquared * sine.x * sine.x).squareRoot()
        x = normal * cosine.x * cosine.y
        y = normal * cosine.x * sine.y
        z = normal * (1 - WGS84.eccentricitySquared) * sine.x
    }

    /// The square of the chord to another place, in square metres.
    @inlinable
    public func chordSquared(to other: EarthVector) -> Double {
        let dx = x - other.x
        let dy = y - other.y
        let dz = z - other.z
        return dx * dx + dy * dy + dz * dz
    }

    /// Two places in the azimuthal equidistant plane around this one: how far each lies from it, in metres, and the product of the
    /// vectors to them.
    ///
    /// The part of a chord along the ground gives the direction, the arc above it the distance, with the earth's mean radius: no
    /// trigonometry, and off by no more than `equidistantError`.
    @inlinable
    public func equidistant(_ a: EarthVector, _ b: EarthVector) -> (a: Double, b: Double, product: Double) {
        // The normal of the ellipsoid x²/a² + y²/a² + z²/b² = 1, not brought to length 1.
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
        // Along the ground.
        let alongA = squareA - upA * upA * share
        let alongB = squareB - upB * upB * share
        let along = ax * bx + ay * by + az * bz - upA * upB * share
        guard alongA > 0, alongB > 0 else { return (arcA, arcB, 0) }
        return (arcA, arcB, along * (arcA * arcB / (alongA * alongB).squareRoot()))
    }

    /// How far a place so many metres away may be off in `equidistant`. The angle between a geodesic and the section through the normal is
    /// less than 2.4e-4 (d / 6,371 km)² / 2, and the radius is wrong by less than 0.7 %, which matters to the difference of arc and
    /// chord: together less than 0.02 mm for 10 km, 2 cm for 100 km.
    @inlinable
    public static func equidistantError(_ distance: Double) -> Double {
        let share = distance / 100_000
        return 0.02 * share * share * share
    }

    @usableFromInline static let meanRadius = 6_371_008.8

    /// No computed chord is further than this from the true one, in metres: coordinates of up to 6.4e6 m carry an error of a
    /// few units in the last place (1e-9 m each). Bounds are widened by it, generously.
    public static let rounding = 1e-6

    /// The longest geodesic that a chord (metres) can stand for; infinite where the bound does not hold any more.
    @inlinable
    public static func longestGeodesic(chord: Double) -> Double {
        let ratio = chord / (2 * WGS84.smallestCurvatureRadius)
        return ratio < 0.99 ? 2 * WGS84.smallestCurvatureRadius * asin(ratio) : .infinity
    }

    /// No arc of a circle of that radius above the chord is longer, for what it costs to multiply: 2r·asin(chord / 2r), by its
    /// series up to the fifth power, the rest of it bounded; for chords longer than the radius by the function itself.
    @inlinable
    public static func arc(chord: Double, radius: Double) -> Double {
        // The reciprocal is a constant wherever the radius is: that spares a division.
        let ratio = chord * (1 / (2 * radius))
        if ratio > 0.5 { return ratio < 1 ? 2 * radius * asin(ratio) : .pi * radius }
        let square = ratio * ratio
        return chord * (1 + square * (1.0 / 6 + square * (0.075 + square * 0.06)))
    }

    /// The longest geodesic that a chord (metres) can stand for, or a little more.
    @inlinable
    public static func atMostGeodesic(chord: Double) -> Double {
        chord < WGS84.smallestCurvatureRadius
            ? arc(chord: chord, radius: WGS84.smallestCurvatureRadius) + rounding : longestGeodesic(chord: chord) + rounding
    }

    /// The shortest chord whose geodesic is surely more than `length` metres.
    @inlinable
    public static func surelyBeyond(length: Double) -> Double { length + rounding }
}
