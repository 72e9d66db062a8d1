import Geodesy
import Model

/// Formats numbers, times and events for people.
package enum Format {
    /// 1234567 is written as 1,234,567.
    package static func number(_ value: Int) -> String { value.grouped(by: ",") }

    /// "2026-05-01 12:00:00 +02:00", or "2026-05-01 10:00:00Z" in UTC. With its offset, a time that occurs twice when clocks are set back
    /// is not ambiguous.
    package static func time(_ instant: Instant, in zone: LocalTimeZone) -> String {
        let text = zone.local(instant).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))\(zone.isUTC ? "" : " ")\(offset(instant, in: zone))"
    }

    /// RFC 3339 with the offset of a zone: "2026-05-01T12:00:00.000+02:00".
    package static func timestamp(_ instant: Instant, in zone: LocalTimeZone) -> String {
        "\(zone.local(instant).description.dropLast())\(offset(instant, in: zone))"
    }

    /// "+02:00", or "Z" in UTC. The offsets of the time before time zones have seconds: "+00:53:28".
    private static func offset(_ instant: Instant, in zone: LocalTimeZone) -> String {
        if zone.isUTC { return "Z" }
        let seconds = zone.offset(at: instant)
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (minutes, rest) = abs(seconds).quotientAndRemainder(dividingBy: 60)
        let text = "\(seconds < 0 ? "-" : "+")\(digits(minutes / 60)):\(digits(minutes % 60))"
        return rest == 0 ? text : "\(text):\(digits(rest))"
    }

    /// "7:15", "31:00".
    package static func hoursAndMinutes(_ seconds: Double) -> String {
        let (hours, minutes) = Int((seconds / 60).rounded()).quotientAndRemainder(dividingBy: 60)
        return "\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
    }

    /// "340 kB", "12 MB".
    package static func size(_ bytes: Int) -> String {
        bytes < 1_000_000 ? "\(bytes / 1000) kB" : "\(number(bytes / 1_000_000)) MB"
    }

    /// For example "0.12 km²".
    package static func area(_ squareMeters: Double) -> String {
        squareMeters < 100_000 ? "\(decimal(squareMeters, 0)) m²" : "\(decimal(squareMeters / 1e6, 2)) km²"
    }

    /// A number rounded to a number of decimals, without trailing zeros.
    package static func decimal(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        return JSONValue((value * scale).rounded() / scale).description
    }

    /// A time in a sentence that also contains another time: without the date if both are on the same day.
    package static func time(_ instant: Instant, beside other: Instant, in zone: LocalTimeZone) -> String {
        let text = time(instant, in: zone)
        return zone.date(of: instant) == zone.date(of: other) ? String(text.dropFirst(11)) : text
    }

    /// Latitude and longitude in degrees, such as "52.5163, 13.3777".
    package static func place(_ coordinate: Coordinate) -> String { "\(coordinate.latitude), \(coordinate.longitude)" }
}

extension Shape {
    /// Its size and where it is: "100 m around 52.5163, 13.3777", "a polygon of 4 corners around 52.47, 13.4".
    package var place: Phrase {
        switch self {
        case .circle(let circle):
            return Phrase("\(length: circle.radius) around \(Format.place(circle.center))")
        case .polygons(let polygons):
            let center = boundingBox.center
            let middle = "\(Format.decimal(center.latitude, 6)), \(Format.decimal(center.longitude, 6))"
            guard polygons.count == 1, let ring = polygons.first?.exterior else {
                return Phrase(
                    polygons.count, one: "\(polygons.count) polygon around \(middle)",
                    other: "\(polygons.count) polygons around \(middle)")
            }
            // A closed ring names its first corner twice.
            return Phrase(
                ring.count - (ring.first == ring.last ? 1 : 0),
                one: "a polygon of \(ring.count - (ring.first == ring.last ? 1 : 0)) corner around \(middle)",
                other: "a polygon of \(ring.count - (ring.first == ring.last ? 1 : 0)) corners around \(middle)")
        }
    }
}

extension Phrase.Template.StringInterpolation {
    /// A number rounded to at most one decimal.
    package mutating func appendInterpolation(tenths value: Double) { appendInterpolation(decimal: Format.decimal(value, 1)) }

    /// A number of bytes, for example "340 kB" or "12 MB".
    package mutating func appendInterpolation(size bytes: Int) {
        let isSmall = bytes < 1_000_000
        appendInterpolation(Phrase("\(bytes / (isSmall ? 1000 : 1_000_000)) \(isSmall ? "kB" : "MB")"))
    }
}
