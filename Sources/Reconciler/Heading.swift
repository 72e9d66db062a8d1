import Geodesy
import Model

#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

/// The direction in which a device moves, as a vector of length 1.
struct Heading: Hashable, Sendable {
    var east: Double
    var north: Double

    static let north = Heading(east: 0, north: 1)
    /// Eight directions, 45° apart, clockwise from north.
    static let compass: [Heading] = {
        let diagonal = 0.5.squareRoot()
        return [
            north, Heading(east: diagonal, north: diagonal), Heading(east: 1, north: 0),
            Heading(east: diagonal, north: -diagonal),
            Heading(east: 0, north: -1), Heading(east: -diagonal, north: -diagonal), Heading(east: -1, north: 0),
            Heading(east: -diagonal, north: diagonal),
        ]
    }()

    /// The heading turned by the angle from north to another heading.
    func turned(by other: Heading) -> Heading {
        Heading(east: east * other.north + north * other.east, north: north * other.north - east * other.east)
    }

    /// The cosine of the angle between two headings.
    func cosine(to other: Heading) -> Double { east * other.east + north * other.north }
}

extension Heading {
    /// Meters by which two fixes must differ, besides their errors, to show a heading.
    private static let leastMovement = 100.0

    /// The heading to the last fix from the newest one that is far enough away from it; nil if none is.
    ///
    /// - Parameter fixes: Oldest first.
    init?(of fixes: [Fix]) {
        guard let last = fixes.last else { return nil }
        let here = EarthVector(last.coordinate)
        for fix in fixes.reversed().dropFirst() {
            let far = Self.leastMovement + fix.accuracyOrZero + last.accuracyOrZero
            guard here.chordSquared(to: EarthVector(fix.coordinate)) > far * far else { continue }
            let north = last.coordinate.latitude - fix.coordinate.latitude
            let turn = Coordinate.wrapped(longitude: last.coordinate.longitude - fix.coordinate.longitude)
            let east = turn * cos(last.coordinate.latitude.radians)
            let length = (east * east + north * north).squareRoot()
            guard length > 0 else { return nil }
            self.init(east: east / length, north: north / length)
            return
        }
        return nil
    }
}
