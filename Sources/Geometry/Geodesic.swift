import CProj
import Geodesy

/// The shortest way over the WGS 84 ellipsoid, by PROJ's `geodesic.h`: the method of C. F. F. Karney, "Algorithms for
/// geodesics", J. Geodesy 87 (2013), good to some 15 nanometres.
public enum Geodesic {
    private static let ellipsoid: geod_geodesic = {
        var ellipsoid = geod_geodesic()
        unsafe geod_init(&ellipsoid, WGS84.equatorialRadius, WGS84.flattening)
        return ellipsoid
    }()

    /// Metres between two places.
    public static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
        var distance = 0.0
        unsafe withUnsafePointer(to: ellipsoid) {
            unsafe geod_inverse($0, a.latitude, a.longitude, b.latitude, b.longitude, &distance, nil, nil)
        }
        return distance
    }

    /// Metres from `a` to `b`, and the direction in which the way starts, in degrees clockwise from north.
    public static func inverse(_ a: Coordinate, _ b: Coordinate) -> (distance: Double, azimuth: Double) {
        var distance = 0.0
        var azimuth = 0.0
        unsafe withUnsafePointer(to: ellipsoid) {
            unsafe geod_inverse($0, a.latitude, a.longitude, b.latitude, b.longitude, &distance, &azimuth, nil)
        }
        return (distance, azimuth)
    }

    /// The place so many metres from `start` in a direction (degrees clockwise from north).
    public static func direct(_ start: Coordinate, azimuth: Double, distance: Double) -> Coordinate {
        var latitude = 0.0
        var longitude = 0.0
        unsafe withUnsafePointer(to: ellipsoid) {
            unsafe geod_direct($0, start.latitude, start.longitude, azimuth, distance, &latitude, &longitude, nil)
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Where `place` lies in the azimuthal equidistant plane around `center`: metres east and north. In that plane the distance
    /// from the origin is the geodesic distance from the centre.
    public static func plane(around center: Coordinate, _ place: Coordinate) -> (x: Double, y: Double) {
        let (distance, azimuth) = inverse(center, place)
        return (distance * sin(azimuth.radians), distance * cos(azimuth.radians))
    }
}

extension Geodesic {
    /// The version of PROJ as it is linked.
    public static var libraryVersion: String { unsafe String(cString: proj_info().version) }
}
