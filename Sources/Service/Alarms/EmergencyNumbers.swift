import Foundation
import Geodesy

/// The emergency telephone numbers by place.
///
/// The numbers are from libphonenumber, and the outlines of countries from Natural Earth, simplified to about five kilometers (see
/// tools/emergency-numbers). Without other data, the number is 112, which every mobile phone recognizes as an emergency number (ETSI TS 122
/// 101, section 10.1).
package struct EmergencyNumbers: Sendable {
    /// Emergency numbers, and the rings inside which they apply.
    private struct Area {
        var numbers: String
        var rings: [[Coordinate]]
        var box: BoundingBox
    }

    /// The number that a person has configured for all places; nil to use the numbers of the place.
    private let override: String?
    private static let areas = parseOutlines()
    private static let defaultNumber = "112"

    /// The error of the outlines in degrees of latitude. Closer than this to a border, the numbers of both sides are given.
    private static let tolerance = 0.1

    /// - Parameter override: The number for all places; nil to use the numbers of the place.
    package init(override: String? = nil) { self.override = override }

    /// The number, or several separated by commas. Close to a border, the numbers of both sides, separated by "or".
    ///
    /// - Parameter place: The coordinate; nil if it is unknown.
    /// - Complexity: O(n) for n corners of the countries whose bounding boxes contain the place.
    package func numbers(at place: Coordinate?) -> String {
        if let override { return override }
        guard let place else { return Self.defaultNumber }
        var here = Self.defaultNumber
        var isAtEdge = false
        var beside: [String] = []
        for area in Self.areas where Self.isNear(area.box, place) {
            let isNear = area.rings.contains { Self.isNear($0, place) }
            if area.rings.count(where: { Self.contains($0, place) }) % 2 == 1 {
                here = area.numbers
                isAtEdge = isNear
            } else if isNear {
                beside.append(area.numbers)
            }
        }
        // If no other area is on the other side of the edge, there is a coast or a country with the default number.
        if isAtEdge, beside.isEmpty { beside = [Self.defaultNumber] }
        return ([here] + beside).joined(separator: " or ")
    }

    /// Whether a place is inside a box or closer to it than the tolerance.
    private static func isNear(_ box: BoundingBox, _ place: Coordinate) -> Bool {
        let reach = tolerance / max(0.01, cos(place.latitude * .pi / 180))
        return place.latitude > box.south - tolerance && place.latitude < box.north + tolerance
            && place.longitude > box.west - reach && place.longitude < box.east + reach
    }

    /// Whether a place is inside a ring: a ray to the east crosses its edges an odd number of times.
    private static func contains(_ ring: [Coordinate], _ place: Coordinate) -> Bool {
        var isWithin = false
        forEachEdge(ring) { a, b in
            guard (a.latitude > place.latitude) != (b.latitude > place.latitude) else { return }
            let share = (place.latitude - a.latitude) / (b.latitude - a.latitude)
            if place.longitude < a.longitude + share * (b.longitude - a.longitude) { isWithin.toggle() }
        }
        return isWithin
    }

    /// Whether a place is closer to a ring than the tolerance, so that the ring's error may put it on the wrong side.
    private static func isNear(_ ring: [Coordinate], _ place: Coordinate) -> Bool {
        // Compute in a plane around the place, in degrees of latitude.
        let shrink = cos(place.latitude * .pi / 180)
        var isNear = false
        forEachEdge(ring) { a, b in
            let (ax, ay) = ((a.longitude - place.longitude) * shrink, a.latitude - place.latitude)
            let (dx, dy) = ((b.longitude - a.longitude) * shrink, b.latitude - a.latitude)
            let length = dx * dx + dy * dy
            let share = length == 0 ? 0 : max(0, min(1, -(ax * dx + ay * dy) / length))
            let (x, y) = (ax + share * dx, ay + share * dy)
            if x * x + y * y < tolerance * tolerance { isNear = true }
        }
        return isNear
    }

    private static func forEachEdge(_ ring: [Coordinate], _ body: (Coordinate, Coordinate) -> Void) {
        guard var before = ring.last else { return }
        for place in ring {
            body(before, place)
            before = place
        }
    }

    // MARK: - Outlines

    private static func parseOutlines() -> [Area] {
        outlines.split(separator: "\n").compactMap { line in
            guard let colon = line.firstRange(of: ": ") else { return nil }
            let rings = line[colon.upperBound...].split(separator: " ").map { decodeRing(String($0)) }
            return Area(
                numbers: String(line[..<colon.lowerBound]), rings: rings, box: BoundingBox(around: rings.flatMap { $0 }))
        }
    }

    /// Decodes a polyline of hundredths of a degree: latitude and longitude alternate, each as the difference from the previous one, five
    /// bits per character, least significant first, with the sign in the lowest bit ("Encoded Polyline Algorithm Format").
    private static func decodeRing(_ text: String) -> [Coordinate] {
        var places: [Coordinate] = []
        var (latitude, longitude) = (0, 0)
        var (value, shift) = (0, 0)
        var isLatitude = true
        for byte in text.utf8 {
            let part = Int(byte) - 63
            value |= (part & 0x1F) << shift
            shift += 5
            if part & 0x20 != 0 { continue }
            let difference = value & 1 == 0 ? value >> 1 : ~(value >> 1)
            if isLatitude {
                latitude += difference
            } else {
                longitude += difference
                places.append(Coordinate(latitude: Double(latitude) / 100, longitude: Double(longitude) / 100))
            }
            isLatitude.toggle()
            (value, shift) = (0, 0)
        }
        return places
    }
}
