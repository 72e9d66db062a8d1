import Model

/// The fields of a geofence in files that have only texts: the columns of CSV, and the data of a Placemark in KML.
enum GeofenceField: CaseIterable {
    case id, name, latitude, longitude, radius
    /// The outline in Traccar's notation; see `WellKnownText`.
    case area
    /// The outline in well-known text with the longitude first.
    case wkt
    case active, priority, dwell, policy, triggers, devices, groups, labels

    /// The name of the property in GeoJSON, where there is one.
    var name: String { "\(self)" }

    /// The names in files, normalized as by `CSVHeader.plain`.
    var aliases: [String] {
        switch self {
        case .id: ["id", "geofence_id", "identifier"]
        case .name: ["name", "title"]
        case .latitude: FixColumns.aliases(of: .latitude)
        case .longitude: FixColumns.aliases(of: .longitude)
        case .radius: ["radius", "radius_m"]
        case .active: ["active", "is_active", "isactive"]
        case .wkt: ["wkt", "wkt_geom", "the_geom", "geom", "geometry"]
        case .area, .priority, .dwell, .policy, .triggers, .devices, .groups, .labels: [name]
        }
    }

    /// The units that may follow in the name of a column.
    var units: [String] {
        switch self {
        case .latitude, .longitude: CSVColumns.angles
        case .radius: CSVColumns.lengths
        default: []
        }
    }

    /// The field with this name in a file; nil for another name.
    static func named(_ name: String) -> GeofenceField? {
        let plain = CSVHeader.plain(name)
        return allCases.first { $0.aliases.contains(plain) }
    }

    /// The value in GeoJSON that a text represents. A text that should be a number and is not stays text, and the geofence is
    /// refused because of it. `;` or `|` separates the entries of a list.
    ///
    /// - Parameter number: Reads a number.
    func value(of text: String, _ number: (String) -> Double?) -> JSONValue {
        switch self {
        case .latitude, .longitude, .radius, .priority, .dwell: return number(text).map { JSONValue($0) } ?? .string(text)
        case .triggers, .devices, .groups, .labels:
            return .array(
                text.split { $0 == ";" || $0 == "|" }.map { .string(String($0).trimmed) })
        case .active:
            switch text.lowercased() {
            case "true", "yes", "1": return true
            case "false", "no", "0": return false
            default: return .string(text)
            }
        case .id, .name, .area, .wkt, .policy: return .string(text)
        }
    }
}
