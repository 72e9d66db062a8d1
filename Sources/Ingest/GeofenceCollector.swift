import Model

/// Collects geofences, and refuses those with an id that occurred before.
struct GeofenceCollector {
    private let source: ProblemSubject
    /// The radius in meters of points that have none.
    private let radius: Double?
    private(set) var result = GeofenceImport()
    /// Whether anything was meant to be a geofence, including what was refused.
    var hasFeature = false
    private var index = 0
    /// The number of the feature or record with each given id.
    private var numbersByID: [String: Int] = [:]

    init(source: ProblemSubject, radius: Double?) {
        self.source = source
        self.radius = radius
    }

    /// Adds an object of JSON: a GeoJSON feature, or a geofence of another program.
    mutating func add(json: JSONValue, line: Int) {
        do throws(GeofenceFeature.Flaw) {
            add(feature: try GeofenceFeature.of(json), line: line)
        } catch {
            hasFeature = true
            refuse(
                line: line, id: json["id"].flatMap(JSONReading.text), field: error.field, value: error.value, reason: error.reason
            )
        }
    }

    /// Adds an outline in well-known text.
    mutating func add(outline text: String, order: WellKnownText.AxisOrder, line: Int) {
        do throws(WellKnownText.Flaw) {
            let outline = try WellKnownText(text, order: order)
            let properties = outline.radius.map { [JSONValue.Member("radius", $0)] } ?? []
            add(feature: ["type": "Feature", "geometry": outline.geometry, "properties": .object(properties)], line: line)
        } catch {
            hasFeature = true
            refuse(line: line, id: nil, field: "outline", value: text, reason: error.reason)
        }
    }

    /// Adds a GeoJSON feature.
    mutating func add(feature: JSONValue, line: Int) {
        if feature["type"]?.string == "Feature" { hasFeature = true }
        let given = [feature["id"], feature["properties"]?["id"]].lazy.compactMap { $0 }.compactMap(JSONReading.text).first
        do throws(Problem) {
            let fence = try Geofence(feature: completed(feature))
            if let given {
                if let place = numbersByID[given] {
                    return refuse(
                        line: line, id: given, field: "id", value: given,
                        reason: .expecting(Phrase("the same id is also at number \(place) of the file"), Phrase("a different id"))
                    )
                }
                numbersByID[given] = index + 1
            }
            index += 1
            result.entries.append(
                .init(
                    geofence: fence, index: index, line: line,
                    idSource: given != nil ? .given : Geofence.isNamed(feature) ? .name : .none,
                    isAsWritten: Geofence.isAsWritten(feature)))
        } catch {
            guard case .validationFailed(let field, let value, let reason, let expected) = error else {
                return refuse(line: line, id: given, field: "feature", value: "", reason: error.message)
            }
            guard reason == .pointWithoutRadius else {
                return refuse(line: line, id: given, field: field, value: value, reason: .expecting(reason, expected))
            }
            let name = Geofence.name(of: feature) ?? "\(feature["geometry"]?["coordinates"] ?? .null)"
            refuse(
                line: line, id: given, field: field, value: name,
                reason: .expecting(reason, .or(expected, Phrase("--radius (HTTP: radius) for all points without one"))))
        }
    }

    /// A feature with the radius of the options, if it is a point without one.
    private func completed(_ feature: JSONValue) -> JSONValue {
        guard let radius, feature["geometry"]?["type"]?.string == "Point", var members = feature.members else { return feature }
        let properties = feature["properties"]?.members ?? []
        let isGiven = properties.contains { ["radius", "radius_m"].contains($0.name) && $0.value != .null }
        if isGiven { return feature }
        members.removeAll { $0.name == "properties" }
        members.append(.init("properties", .object(properties + [.init("radius", JSONValue(radius))])))
        return .object(members)
    }

    /// Adds a remark on how the file was read.
    mutating func add(_ remark: Phrase) { result.remarks.append(remark) }

    /// Refuses the next feature or record.
    mutating func refuse(line: Int, id: String?, field: String, value: String, reason: Phrase) {
        index += 1
        result.refusals.append(
            RefusedGeofence(
                index: index, id: id,
                refusal: Refusal(file: source.description, line: line, field: field, value: value, reason: reason)))
    }
}
