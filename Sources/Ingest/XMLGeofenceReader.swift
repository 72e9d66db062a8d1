import Model

/// Reads geofences from the Placemarks of KML (OGC 12-007r2) and the waypoints of GPX.
///
/// A Placemark has polygons with holes, several polygons in a MultiGeometry, or a point with a radius in its extended data. A point beside
/// polygons is their label, and is ignored. Lines and several points in one Placemark are refused. The radius of a waypoint is Garmin's
/// `Proximity` in meters, if it has one. Tracks and routes of GPX are ignored, because a file of waypoints often has them, too.
struct XMLGeofenceReader {
    /// The part of a Placemark that cannot be read, and why.
    private struct Flaw: Error {
        var line: Int
        var field: String
        var value: String
        var reason: Phrase
    }

    private let source: ProblemSubject
    private let parser = XMLPushParser()
    private var elements = XMLElementBuilder("Placemark")
    private var isRootSeen = false
    private var isGPX = false

    init(source: ProblemSubject) { self.source = source }

    /// Reads the next piece of the document.
    ///
    /// - Throws: `Problem.decodingFailed` for XML that is not well-formed, `.unsupportedFormat` for a root element other than `kml` and `gpx`,
    ///   `.tooLarge` for a Placemark or waypoint of more than 16 MB.
    mutating func read(_ piece: Bytes, isLast: Bool = false, into collector: inout GeofenceCollector) throws(Problem) {
        if piece.isEmpty, !isLast { return }
        try parser.read(piece, isLast: isLast, source: source) { (event) throws(Problem) in
            try handleEvent(event, into: &collector)
        }
    }

    private mutating func handleEvent(_ event: XMLEvent, into collector: inout GeofenceCollector) throws(Problem) {
        if !isRootSeen, case .start(let name, _, _) = event {
            isRootSeen = true
            isGPX = name == "gpx"
            if isGPX { elements = XMLElementBuilder("wpt") }
            guard isGPX || name == "kml" else {
                throw .unsupportedFormat(source: source, found: .geofenceFileIs("XML"), supported: GeofenceDecoder.supported)
            }
        }
        guard let element = try elements.handleEvent(event, source: source) else { return }
        if isGPX {
            collector.add(feature: Self.feature(waypoint: element), line: element.line)
        } else {
            read(element, into: &collector)
        }
    }

    /// - Throws: `Problem.decodingFailed` if the document is incomplete, or has neither Placemarks nor waypoints.
    mutating func finish(into collector: inout GeofenceCollector) throws(Problem) {
        let nothing: [UInt8] = []
        try read(nothing.span, isLast: true, into: &collector)
        if elements.count > 0 { return }
        let reason: Phrase =
            isGPX
            ? .expecting(.noWaypoints, .waypoints) : .expecting(elements.links > 0 ? .linksOnly : .noPlacemarks, .kmlGeofence)
        throw .decodingFailed(source: source, line: nil, reason: reason)
    }

    /// A waypoint of GPX as a GeoJSON feature. A coordinate that is not a number stays text, and the feature is refused because of it.
    private static func feature(waypoint: XMLTree) -> JSONValue {
        func coordinate(_ name: String) -> JSONValue {
            let text = waypoint.attribute(name) ?? ""
            return DecimalNumber.parse(text).map { JSONValue($0) } ?? .string(text)
        }
        func text(_ names: String...) -> JSONValue? {
            names.lazy.compactMap { waypoint[$0]?.trimmedText }.first { !$0.isEmpty }.map(JSONValue.string)
        }
        let radius = waypoint.descendants(["Proximity"]).first.flatMap { DecimalNumber.parse($0.text) }
        return [
            "type": "Feature", "geometry": ["type": "Point", "coordinates": [coordinate("lon"), coordinate("lat")]],
            "properties": .compact([
                ("name", text("name")), ("radius", radius.map { JSONValue($0) }), ("description", text("desc", "cmt")),
            ]),
        ]
    }

    private func read(_ placemark: XMLTree, into collector: inout GeofenceCollector) {
        let geometries = placemark.descendants(["Point", "Polygon", "LinearRing", "LineString", "Track"])
        let areas = geometries.filter { $0.name == "Polygon" || $0.name == "LinearRing" }
        let points = areas.isEmpty ? geometries.filter { $0.name == "Point" } : []
        do throws(Flaw) {
            if !areas.isEmpty {
                var polygons: [JSONValue] = []
                for area in areas { polygons.append(try Self.polygon(area)) }
                let geometry: JSONValue =
                    polygons.count == 1
                    ? ["type": "Polygon", "coordinates": polygons[0]] : ["type": "MultiPolygon", "coordinates": .array(polygons)]
                collector.add(feature: Self.feature(placemark, geometry), line: placemark.line)
            }
            if points.count > 1 {
                throw Flaw(
                    line: points[1].line, field: "Point", value: placemark["name"]?.trimmedText ?? "",
                    reason: .expecting(.severalPoints(points.count), .kmlGeofence))
            }
            if let point = points.first {
                let geometry: JSONValue = ["type": "Point", "coordinates": try Self.point(point)]
                collector.add(feature: Self.feature(placemark, geometry), line: placemark.line)
            }
        } catch {
            collector.refuse(line: error.line, id: nil, field: error.field, value: error.value, reason: error.reason)
        }
        if let line = geometries.first(where: { $0.name == "LineString" || $0.name == "Track" }) {
            collector.refuse(
                line: line.line, id: nil, field: line.name, value: placemark["name"]?.trimmedText ?? "",
                reason: .expecting(.lineWithoutInside, .polygonAroundLine))
        }
        if geometries.isEmpty {
            let address = placemark["address"]?.trimmedText ?? ""
            collector.refuse(
                line: placemark.line, id: nil, field: "Placemark", value: placemark["name"]?.trimmedText ?? "",
                reason: .expecting(
                    address.isEmpty
                        ? .noFenceGeometry
                        : Phrase("there is only an address, without coordinates: \(String(address.prefix(80)))"), .kmlGeofence))
        }
    }

    /// A Placemark as a GeoJSON feature. Its extended data are the properties, by the names of CSV columns where a geofence has such a field.
    private static func feature(_ placemark: XMLTree, _ geometry: JSONValue) -> JSONValue {
        let name = placemark["name"]?.trimmedText ?? ""
        var id: JSONValue?
        var properties: [JSONValue.Member] = []
        for (key, text) in placemark.extendedData {
            switch GeofenceField.named(key) {
            case .id: id = .string(text)
            case .latitude, .longitude, .area, .wkt, nil: properties.append(.init(key, .string(text)))
            case .name where !name.isEmpty: if key != "name" { properties.append(.init(key, .string(text))) }
            case let field?: properties.append(.init(field.name, field.value(of: text) { DecimalNumber.parse($0) }))
            }
        }
        if !name.isEmpty { properties.append(.init("name", .string(name))) }
        for name in ["description", "address"] {
            guard let text = placemark[name]?.trimmedText, !text.isEmpty else { continue }
            properties.append(.init(name, .string(text)))
        }
        return .compact([("type", "Feature"), ("id", id), ("geometry", geometry), ("properties", .object(properties))])
    }

    // MARK: - Geometries

    private static func polygon(_ element: XMLTree) throws(Flaw) -> JSONValue {
        if element.name == "LinearRing" { return [try ring(element)] }
        let outer = element.all("outerBoundaryIs").flatMap { $0.all("LinearRing") }
        guard outer.count == 1 else {
            throw Flaw(line: element.line, field: "outerBoundaryIs", value: "", reason: .expecting(.noRing, .kmlCoordinates))
        }
        var rings = [try ring(outer[0])]
        for inner in element.all("innerBoundaryIs").flatMap({ $0.all("LinearRing") }) { rings.append(try ring(inner)) }
        return .array(rings)
    }

    private static func ring(_ element: XMLTree) throws(Flaw) -> JSONValue {
        .array(try positions(element))
    }

    private static func point(_ element: XMLTree) throws(Flaw) -> JSONValue {
        let positions = try positions(element)
        guard positions.count == 1 else {
            throw Flaw(
                line: element.line, field: "coordinates", value: element["coordinates"]?.trimmedText ?? "",
                reason: .expecting(.notAPosition, .kmlCoordinates))
        }
        return positions[0]
    }

    private static func positions(_ element: XMLTree) throws(Flaw) -> [JSONValue] {
        let coordinates = element["coordinates"]
        var positions: [JSONValue] = []
        for tuple in KMLCoordinates.tuples(coordinates?.text ?? "") {
            guard let numbers = KMLCoordinates.numbers(tuple, separator: { $0 == "," }) else {
                throw Flaw(
                    line: coordinates?.line ?? element.line, field: "coordinates", value: String(tuple),
                    reason: .expecting(.notAPosition, .kmlCoordinates))
            }
            positions.append([JSONValue(numbers[0]), JSONValue(numbers[1])])
        }
        return positions
    }
}
