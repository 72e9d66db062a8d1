import Foundation
import Geodesy

/// Whom to call for help at a place.
///
/// The numbers are libphonenumber's, the outlines of countries Natural Earth's, simplified to some five kilometres (see
/// tools/emergency-numbers). Where nothing else is known it is 112, which mobile phones everywhere know as an emergency number
/// (ETSI TS 122 101, section 10.1).
public struct EmergencyNumbers: Sendable {
    /// A set of numbers, and the rings within which they hold.
    private struct Area {
        var numbers: String
        var rings: [[Coordinate]]
        var box: BoundingBox
    }

    /// What is called everywhere, as a person has set it; nil for the numbers of the place.
    private let only: String?
    private static let areas = parse()
    private static let usual = "112"

    /// Outlines are as far off as this, in degrees of latitude: nearer to a border the numbers of both sides are told.
    private static let tolerance = 0.1

    /// - Parameter override: What is to be told everywhere instead.
    public init(override: String? = nil) { only = override }

    /// The number, or several with commas between them; near a border those of both sides, with "or" between them.
    ///
    /// - Parameter place: Nil when it is not known.
    /// - Complexity: O(corners) of the countries whose boxes hold the place.
    public func numbers(at place: Coordinate?) -> String {
        if let only { return only }
        guard let place else { return Self.usual }
        var here = Self.usual
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
        // What is across the edge of an area and in no other one is a coast, or a country of the usual number.
        if isAtEdge, beside.isEmpty { beside = [Self.usual] }
        return ([here] + beside).joined(separator: " or ")
    }

    /// Whether a place lies in a box, or so near that the tolerance matters.
    private static func isNear(_ box: BoundingBox, _ place: Coordinate) -> Bool {
        let reach = tolerance / max(0.01, cos(place.latitude * .pi / 180))
        return place.latitude > box.south - tolerance && place.latitude < box.north + tolerance
            && place.longitude > box.west - reach && place.longitude < box.east + reach
    }

    /// Whether a place lies within a ring: a ray to the east meets its edges an odd number of times.
    private static func contains(_ ring: [Coordinate], _ place: Coordinate) -> Bool {
        var isWithin = false
        forEachEdge(ring) { a, b in
            guard (a.latitude > place.latitude) != (b.latitude > place.latitude) else { return }
            let share = (place.latitude - a.latitude) / (b.latitude - a.latitude)
            if place.longitude < a.longitude + share * (b.longitude - a.longitude) { isWithin.toggle() }
        }
        return isWithin
    }

    /// Whether a place is so near to a ring that the ring's tolerance may put it on the wrong side.
    private static func isNear(_ ring: [Coordinate], _ place: Coordinate) -> Bool {
        // On a plane around the place, in degrees of latitude.
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

    private static func parse() -> [Area] {
        outlines.split(separator: "\n").compactMap { line in
            guard let colon = line.firstRange(of: ": ") else { return nil }
            let rings = line[colon.upperBound...].split(separator: " ").map { ring(String($0)) }
            return Area(
                numbers: String(line[..<colon.lowerBound]), rings: rings, box: BoundingBox(around: rings.flatMap { $0 }))
        }
    }

    /// Reads an encoded polyline of hundredths of a degree: latitude and longitude by turns, each as the difference to the one
    /// before, five bits a character, the lowest first, with the sign in the lowest bit ("Encoded Polyline Algorithm Format").
    private static func ring(_ text: String) -> [Coordinate] {
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
