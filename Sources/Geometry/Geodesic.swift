import CProj
import CStandardLibrary
import Geodesy

/// Geodesics on the WGS 84 ellipsoid by PROJ's `geodesic.h`, which implements C. F. F. Karney, "Algorithms for geodesics", J.
/// Geodesy 87 (2013). Errors are about 15 nanometers.
package enum Geodesic {
    private static let ellipsoid: geod_geodesic = {
        var ellipsoid = geod_geodesic()
        unsafe geod_init(&ellipsoid, WGS84.equatorialRadius, WGS84.flattening)
        return ellipsoid
    }()

    /// The distance between two positions in meters.
    package static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
        var distance = 0.0
        unsafe withUnsafePointer(to: ellipsoid) {
            unsafe geod_inverse($0, a.latitude, a.longitude, b.latitude, b.longitude, &distance, nil, nil)
        }
        return distance
    }

    /// The distance from `a` to `b` in meters, and the azimuth at `a` in degrees clockwise from north.
    package static func inverse(_ a: Coordinate, _ b: Coordinate) -> (distance: Double, azimuth: Double) {
        var distance = 0.0
        var azimuth = 0.0
        unsafe withUnsafePointer(to: ellipsoid) {
            unsafe geod_inverse($0, a.latitude, a.longitude, b.latitude, b.longitude, &distance, &azimuth, nil)
        }
        return (distance, azimuth)
    }

    /// The position that lies `distance` meters from `start` in a direction in degrees clockwise from north.
    package static func direct(_ start: Coordinate, azimuth: Double, distance: Double) -> Coordinate {
        var latitude = 0.0
        var longitude = 0.0
        unsafe withUnsafePointer(to: ellipsoid) {
            unsafe geod_direct($0, start.latitude, start.longitude, azimuth, distance, &latitude, &longitude, nil)
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Projects `place` to the azimuthal equidistant plane around `center`: meters east and north. The distance from the origin is the
    /// geodesic distance from the center.
    package static func plane(around center: Coordinate, _ place: Coordinate) -> (x: Double, y: Double) {
        let (distance, azimuth) = inverse(center, place)
        return (distance * sin(azimuth.radians), distance * cos(azimuth.radians))
    }
}

extension Geodesic {
    /// The version of the linked PROJ library.
    package static var libraryVersion: String { unsafe String(cString: proj_info().version) }
}
