import CStandardLibrary
import Geodesy

/// Equal-area projections of the ellipsoid by way of the authalic sphere, which has the same area as the ellipsoid (J. P. Snyder, "Map
/// Projections: A Working Manual", USGS 1395, equations 3-11 to 3-13 and chapter 24).
enum EqualArea {
    private static let eccentricity = WGS84.eccentricitySquared.squareRoot()
    private static let poleQ = q(sinLatitude: 1)

    /// The radius in meters of the sphere with the ellipsoid's area.
    static let radius = WGS84.equatorialRadius * (poleQ / 2).squareRoot()

    /// Snyder's q, which is proportional to the area between the equator and a latitude.
    private static func q(sinLatitude s: Double) -> Double {
        let es = eccentricity * s
        return (1 - WGS84.eccentricitySquared) * (s / (1 - es * es) + atanh(es) / eccentricity)
    }

    /// The sine of the authalic latitude that corresponds to a geographic latitude in degrees.
    static func sinAuthalic(_ latitude: Double) -> Double {
        max(-1, min(1, q(sinLatitude: sin(latitude.radians)) / poleQ))
    }

    /// The azimuthal equal-area plane around a coordinate, in meters.
    struct Plane {
        private let sinCenter: Double
        private let cosCenter: Double
        private let longitude: Double

        init(around center: Coordinate) {
            sinCenter = EqualArea.sinAuthalic(center.latitude)
            cosCenter = (1 - sinCenter * sinCenter).squareRoot()
            longitude = center.longitude
        }

        func point(_ place: Coordinate) -> PlanePoint {
            let sinPlace = EqualArea.sinAuthalic(place.latitude)
            let cosPlace = (1 - sinPlace * sinPlace).squareRoot()
            let turn = (place.longitude - longitude).radians
            let denominator = 1 + sinCenter * sinPlace + cosCenter * cosPlace * cos(turn)
            let scale = EqualArea.radius * (2 / max(denominator, 1e-12)).squareRoot()
            return PlanePoint(
                x: scale * cosPlace * sin(turn), y: scale * (cosCenter * sinPlace - sinCenter * cosPlace * cos(turn)))
        }
    }

    /// The area in square meters of a polygon whose edges are straight in degrees (x is longitude). The first ring is the exterior, and the
    /// other rings are holes.
    static func area(ofRings rings: [[PlanePoint]]) -> Double {
        guard let exterior = rings.first else { return 0 }
        return abs(signedArea(exterior)) - rings.dropFirst().reduce(0) { $0 + abs(signedArea($1)) }
    }

    /// Integrates the sine of the authalic latitude over longitude along each edge, by Gauss's three-point rule in pieces of at most a
    /// quarter of a degree.
    private static func signedArea(_ ring: [PlanePoint]) -> Double {
        var sum = 0.0
        for index in ring.indices {
            let a = ring[index]
            let b = ring[(index + 1) % ring.count]
            let pieces = max(1, Int((max(abs(b.y - a.y), abs(b.x - a.x)) * 4).rounded(.up)))
            let width = (b.x - a.x).radians / Double(pieces)
            guard width != 0 else { continue }
            for piece in 0..<pieces {
                for (node, weight) in [(-0.7745966692414834, 5.0 / 18), (0, 8.0 / 18), (0.7745966692414834, 5.0 / 18)] {
                    let t = (Double(piece) + 0.5 + node / 2) / Double(pieces)
                    sum += sinAuthalic(a.y + (b.y - a.y) * t) * width * weight
                }
            }
        }
        return sum * radius * radius
    }
}
