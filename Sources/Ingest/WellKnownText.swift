import Model

/// Reads the outline of a geofence in well-known text: that of the OGC (06-103r4) and PostGIS, with the longitude first, and that of
/// Traccar, with the latitude first.
///
/// - OGC: `POLYGON ((13.3 52.5, …))`, `MULTIPOLYGON (((…)))` and `POINT (13.3 52.5)`, with `Z`, `M` or `ZM`, whose further numbers are
///   ignored, and with PostGIS's prefix `SRID=4326;`.
/// - Traccar: `CIRCLE (52.5 13.4, 100)` and `POLYGON ((52.5 13.3, …))` (Traccar's classes `GeofenceCircle` and `GeofencePolygon`).
///
/// Only a `POLYGON` without prefix and further numbers can be either; see `AxisOrder`.
struct WellKnownText {
    /// The order of the coordinates of a `POLYGON` that may be of the OGC or of Traccar.
    enum AxisOrder {
        case latitudeFirst, longitudeFirst
    }

    /// Why a text is not a geofence.
    struct Flaw: Error {
        var reason: Phrase
    }

    /// The geometry in GeoJSON: a Point, a Polygon or a MultiPolygon.
    var geometry: JSONValue
    /// The radius in meters of a circle.
    var radius: JSONValue?

    /// - Throws: `Flaw` for a line, for other geometries, for coordinates that cannot be read, and for a reference system that is not in
    ///   degrees.
    init(_ text: String, order: AxisOrder) throws(Flaw) {
        (geometry, radius) = try text.withBytes { (bytes) throws(Flaw) in
            var parser = Parser(bytes, order: order)
            return try parser.parse()
        }
    }

    /// The order that the texts of a file have in common. A text that can only be of the OGC decides for all, unless another can only be of
    /// Traccar. Without either, it is Traccar's.
    static func order(of texts: some Sequence<String>) -> AxisOrder {
        var found = AxisOrder.latitudeFirst
        for text in texts {
            switch text.withBytes({ Start($0).certainOrder }) {
            case .latitudeFirst?: return .latitudeFirst
            case .longitudeFirst?: found = .longitudeFirst
            case nil: break
            }
        }
        return found
    }

    /// Whether a text starts like well-known text, or is the binary form of PostGIS, which is refused with an explanation.
    static func starts(in bytes: Bytes) -> Bool {
        let start = Start(bytes)
        return (start.isKnown && start.isFollowedByBody) || isBinary(bytes)
    }

    /// Splits a text into geometries, with the line where each starts. White space, commas and semicolons may be between them.
    static func split(_ bytes: Bytes) -> [(text: String, line: Int)] {
        var texts: [(text: String, line: Int)] = []
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
            // A line that never opens a parenthesis is refused alone.
            let ends = (byte == UInt8(ascii: ")") && depth <= 0) || (byte == 0x0A && depth == 0)
            if ends, let first = start {
                texts.append((bytes.text(first.index..<(index + 1)), first.line))
                start = nil
                depth = 0
            }
        }
        if let start { texts.append((bytes.text(start.index..<bytes.count), start.line)) }
        return texts
    }

    /// Whether the first line has only hexadecimal digits, as well-known binary of PostGIS has.
    private static func isBinary(_ bytes: Bytes) -> Bool {
        let content = bytes.trimmed(0..<bytes.count)
        let line = bytes.trimmed(content.lowerBound..<(bytes.firstIndex(of: 0x0A, in: content) ?? content.upperBound))
        return line.count >= 18
            && (bytes.starts(with: "00", at: line.lowerBound) || bytes.starts(with: "01", at: line.lowerBound))
            && line.allSatisfy { bytes[$0].isDigit || (bytes[$0] | 0x20) &- UInt8(ascii: "a") < 6 }
    }

    // MARK: - Parsing

    /// What precedes the coordinates.
    private struct Start {
        private static let kinds: Set<String> = [
            "CIRCLE", "POINT", "POLYGON", "MULTIPOLYGON", "LINESTRING", "MULTILINESTRING", "MULTIPOINT", "GEOMETRYCOLLECTION",
            "CURVEPOLYGON", "MULTISURFACE", "TRIANGLE", "TIN", "POLYHEDRALSURFACE", "CIRCULARSTRING", "COMPOUNDCURVE",
            "MULTICURVE",
        ]

        /// The text of a prefix such as `SRID=4326`.
        private(set) var system: String?
        /// The kind of geometry in capitals, without a suffix for further numbers.
        private(set) var kind = ""
        private var hasFurtherNumbers = false
        private(set) var isEmpty = false
        /// The index after the start.
        private(set) var end = 0
        /// Whether coordinates or other geometries in parentheses follow, or `EMPTY`.
        private(set) var isFollowedByBody = false

        var isKnown: Bool { Self.kinds.contains(kind) }

        /// The order of the coordinates; nil for a `POLYGON` or `LINESTRING` that can be of the OGC or of Traccar.
        var certainOrder: AxisOrder? {
            if kind == "CIRCLE" { return .latitudeFirst }
            return isKnown && (system != nil || hasFurtherNumbers || !["POLYGON", "LINESTRING"].contains(kind))
                ? .longitudeFirst : nil
        }

        init(_ bytes: Bytes) {
            var index = bytes.trimmed(0..<bytes.count).lowerBound
            func word() -> String {
                while index < bytes.count, bytes[index].isSpace { index += 1 }
                let first = index
                while index < bytes.count, index < first + 32, bytes[index].isLetter { index += 1 }
                return bytes.text(first..<index).uppercased()
            }
            let first = index
            kind = word()
            if kind == "SRID", let semicolon = bytes.firstIndex(of: UInt8(ascii: ";"), in: index..<min(bytes.count, index + 16)) {
                system = bytes.text(first..<semicolon)
                index = semicolon + 1
                kind = word()
            }
            if !isKnown {
                for suffix in ["ZM", "Z", "M"]
                where kind.hasSuffix(suffix) && Self.kinds.contains(String(kind.dropLast(suffix.count))) {
                    kind.removeLast(suffix.count)
                    hasFurtherNumbers = true
                }
            }
            var next = word()
            if ["Z", "M", "ZM"].contains(next) {
                hasFurtherNumbers = true
                next = word()
            }
            isEmpty = next == "EMPTY"
            while index < bytes.count, bytes[index].isSpace { index += 1 }
            end = index
            guard next.isEmpty, index < bytes.count, bytes[index] == UInt8(ascii: "(") else {
                isFollowedByBody = isEmpty
                return
            }
            // A name of a column such as "Point (name)" is not well-known text.
            index = bytes.trimmed((index + 1)..<bytes.count).lowerBound
            let hasNumbers = ["CIRCLE", "POINT", "POLYGON", "MULTIPOLYGON", "LINESTRING"].contains(kind)
            isFollowedByBody = index == bytes.count || !hasNumbers || !bytes[index].isLetter
        }
    }

    /// Parses the coordinates.
    private struct Parser {
        private let bytes: [UInt8]
        private let start: Start
        private let isLatitudeFirst: Bool
        private var index: Int

        init(_ bytes: Bytes, order: AxisOrder) {
            var copy: [UInt8] = []
            bytes.append(0..<bytes.count, to: &copy)
            self.bytes = copy
            start = Start(bytes)
            isLatitudeFirst = (start.certainOrder ?? order) == .latitudeFirst
            index = start.end
        }

        private var unreadable: Flaw { flaw(.notWellKnownText) }

        private func flaw(_ reason: Phrase) -> Flaw {
            Flaw(reason: .expecting(reason, isLatitudeFirst ? .traccarArea : .wellKnownText))
        }

        mutating func parse() throws(Flaw) -> (geometry: JSONValue, radius: JSONValue?) {
            if WellKnownText.isBinary(bytes.span) {
                throw Flaw(
                    reason: .expecting(
                        Phrase("it is well-known binary; in PostGIS, ST_AsText(geometry) converts it to text"), .wellKnownText))
            }
            guard start.isKnown, start.isFollowedByBody else { throw unreadable }
            if let system = start.system, !ReferenceSystem.isInDegrees(srid: system) {
                throw Flaw(reason: .expecting(.otherReferenceSystem(system), .wgs84))
            }
            var geometry: JSONValue
            var radius: JSONValue?
            switch start.kind {
            case "LINESTRING", "MULTILINESTRING", "CIRCULARSTRING", "COMPOUNDCURVE", "MULTICURVE":
                throw Flaw(reason: .expecting(.lineWithoutInside, .polygonAroundLine))
            case "CIRCLE", "POINT", "POLYGON", "MULTIPOLYGON": if start.isEmpty { throw flaw(.empty) }
            default: throw flaw(.noFenceGeometry)
            }
            switch start.kind {
            case "CIRCLE":
                try expect("(")
                let center = try position()
                try expect(",")
                radius = JSONValue(try number())
                try expect(")")
                geometry = ["type": "Point", "coordinates": center]
            case "POINT":
                try expect("(")
                geometry = ["type": "Point", "coordinates": try position()]
                try expect(")")
            case "POLYGON": geometry = ["type": "Polygon", "coordinates": try polygon()]
            default:
                geometry = [
                    "type": "MultiPolygon", "coordinates": try list { (parser) throws(Flaw) in try parser.polygon() },
                ]
            }
            skipSpace()
            guard index == bytes.count else { throw unreadable }
            return (geometry, radius)
        }

        private mutating func polygon() throws(Flaw) -> JSONValue {
            try list { (parser) throws(Flaw) in try parser.list { (parser) throws(Flaw) in try parser.position() } }
        }

        /// Elements in parentheses with commas in between.
        private mutating func list(_ element: (inout Self) throws(Flaw) -> JSONValue) throws(Flaw) -> JSONValue {
            try expect("(")
            var elements: [JSONValue] = []
            repeat { elements.append(try element(&self)) } while skip(",")
            try expect(")")
            return .array(elements)
        }

        /// A position of GeoJSON. Numbers after the second are ignored.
        private mutating func position() throws(Flaw) -> JSONValue {
            let (first, second) = (try number(), try number())
            var further = 0
            while index < bytes.count, bytes[index].isSpace {
                skipSpace()
                guard index < bytes.count, ![UInt8(ascii: ","), UInt8(ascii: ")")].contains(bytes[index]) else { break }
                _ = try number()
                further += 1
            }
            // Traccar writes two numbers.
            if further > (isLatitudeFirst ? 0 : 2) { throw unreadable }
            let (latitude, longitude) = isLatitudeFirst ? (first, second) : (second, first)
            if abs(latitude) > 90, abs(longitude) <= 90 { throw flaw(isLatitudeFirst ? .longitudeFirst : .latitudeFirst) }
            return [JSONValue(longitude), JSONValue(latitude)]
        }

        private mutating func number() throws(Flaw) -> Double {
            skipSpace()
            let scan = DecimalNumber.scan(bytes.span, index..<bytes.count)
            guard let value = scan.value else { throw unreadable }
            index = scan.end
            // Something must separate the number from the next one.
            guard index < bytes.count, bytes[index].isSpace || [UInt8(ascii: ","), UInt8(ascii: ")")].contains(bytes[index])
            else {
                throw unreadable
            }
            return value
        }

        private mutating func skipSpace() {
            while index < bytes.count, bytes[index].isSpace { index += 1 }
        }

        private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: sign) else { return false }
            index += 1
            return true
        }

        private mutating func expect(_ sign: Unicode.Scalar) throws(Flaw) {
            guard skip(sign) else { throw unreadable }
        }
    }
}
