import Model

/// Reads the outline of a geofence in the notation of Traccar, which resembles well-known text but has the latitude first:
/// `CIRCLE (52.5 13.4, 100)`, `POLYGON ((52.5 13.3, 52.6 13.3, 52.6 13.4))` and `LINESTRING (…)` (Traccar's classes `GeofenceCircle`,
/// `GeofencePolygon` and `GeofencePolyline`).
struct TraccarArea {
    /// The geometry in GeoJSON: a Point or a Polygon.
    var geometry: JSONValue
    /// The radius in meters of a circle.
    var radius: JSONValue?

    /// Why an area is no geofence.
    struct Flaw: Error {
        var reason: Reason
    }

    /// - Throws: `Flaw` for a line, for other geometries, and for coordinates that cannot be read.
    init(_ text: String) throws(Flaw) {
        let trimmed = text.withBytes { $0.text($0.trimmed(0..<$0.count)) }
        let keyword = trimmed.prefix { $0.isLetter }.uppercased()
        let body = trimmed.dropFirst(keyword.count).drop { $0.isWhitespace }
        guard body.first == "(", body.last == ")" else { throw Flaw(reason: .expecting(.notAnAreaOfTraccar, .traccarArea)) }
        let content = body.dropFirst().dropLast()
        switch keyword {
        case "CIRCLE":
            let parts = content.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, let meters = DecimalNumber.parse(parts[1]) else {
                throw Flaw(reason: .expecting(.notAnAreaOfTraccar, .traccarArea))
            }
            geometry = ["type": "Point", "coordinates": try Self.position(parts[0])]
            radius = JSONValue(meters)
        case "POLYGON":
            var rings: [JSONValue] = []
            // The rings are between their own parentheses, with commas in between.
            for part in content.split(separator: ")", omittingEmptySubsequences: false) {
                let ring = part.drop { $0.isWhitespace || $0 == "," }
                if ring.isEmpty { continue }
                guard ring.first == "(" else { throw Flaw(reason: .expecting(.notAnAreaOfTraccar, .traccarArea)) }
                var positions: [JSONValue] = []
                for tuple in ring.dropFirst().split(separator: ",", omittingEmptySubsequences: false) {
                    positions.append(try Self.position(tuple))
                }
                rings.append(.array(positions))
            }
            geometry = ["type": "Polygon", "coordinates": .array(rings)]
        case "LINESTRING": throw Flaw(reason: .expecting(.lineWithoutInside, .polygonAroundLine))
        default: throw Flaw(reason: .expecting(.notAnAreaOfTraccar, .traccarArea))
        }
    }

    /// A position of GeoJSON from a latitude and a longitude.
    private static func position(_ tuple: Substring) throws(Flaw) -> JSONValue {
        let numbers = tuple.split(whereSeparator: \.isWhitespace).map { DecimalNumber.parse($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            throw Flaw(reason: .expecting(.notAnAreaOfTraccar, .traccarArea))
        }
        // Well-known text elsewhere has the longitude first.
        if abs(latitude) > 90, abs(longitude) <= 90 { throw Flaw(reason: .expecting(.longitudeFirst, .traccarArea)) }
        return [JSONValue(longitude), JSONValue(latitude)]
    }

    /// Whether a text starts like an area.
    static func starts(in bytes: Bytes) -> Bool {
        let content = bytes.trimmed(0..<bytes.count)
        return (["CIRCLE", "POLYGON", "LINESTRING"] as [StaticString]).contains { keyword in
            guard bytes.starts(with: keyword, at: content.lowerBound) else { return false }
            let next = bytes.trimmed((content.lowerBound + keyword.utf8CodeUnitCount)..<content.upperBound)
            return next.first.map { bytes[$0] == UInt8(ascii: "(") } ?? false
        }
    }

    /// Splits a text into areas, and passes on each with its line. White space, commas and semicolons may be between them.
    static func forEach(in bytes: Bytes, _ body: (_ area: String, _ line: Int) -> Void) {
        var line = 1
        var depth = 0
        var start: (index: Int, line: Int)?
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if byte == 0x0A { line += 1 }
            let isBetween = byte.isSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
            if start == nil, !isBetween { start = (index, line) }
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            // A line that never opens a parenthesis is refused by itself.
            let ends = (byte == UInt8(ascii: ")") && depth <= 0) || (byte == 0x0A && depth == 0)
            if ends, let first = start {
                body(bytes.text(first.index..<(index + 1)), first.line)
                start = nil
                depth = 0
            }
        }
        if let start { body(bytes.text(start.index..<bytes.count), start.line) }
    }
}
