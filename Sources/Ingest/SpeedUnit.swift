/// A unit of speed in files whose fields name it.
enum SpeedUnit: CaseIterable {
    case metersPerSecond, kilometersPerHour, milesPerHour, knots

    /// The divisor that converts a speed to meters per second.
    var divisor: Double {
        switch self {
        case .metersPerSecond: 1
        case .kilometersPerHour: 3.6
        case .milesPerHour: 3600 / 1609.344
        case .knots: 3600.0 / 1852
        }
    }

    /// The names of columns with a speed in this unit, normalized as by `CSVHeader.plain`. Without a unit a speed is in meters per second.
    var columnNames: [String] {
        switch self {
        case .metersPerSecond: ["speed", "speed_mps", "speed_m_s", "velocity_mps", "ground_speed"]
        case .kilometersPerHour: ["speed_kmh", "speed_km_h", "speedkmh", "speed_kph", "velocity_kmh"]
        case .milesPerHour: ["speed_mph", "speedmph", "velocity_mph"]
        case .knots: ["speed_knots", "speedknots", "speed_kn", "speed_kt", "speed_kts"]
        }
    }

    /// The names of members of JSON objects with a speed in this unit.
    var memberNames: [String] {
        switch self {
        case .metersPerSecond: ["speed"]
        case .kilometersPerHour: ["speed_kmh", "speedKmh"]
        case .milesPerHour: ["speed_mph", "speedMph"]
        case .knots: ["speed_knots", "speedKnots"]
        }
    }

    /// The names of the unit in values and in columns of units, in lower case.
    private var names: [String] {
        switch self {
        case .metersPerSecond: ["m/s", "mps"]
        case .kilometersPerHour: ["km/h", "kmh", "kph"]
        case .milesPerHour: ["mph", "mi/h"]
        case .knots: ["kn", "kt", "kts", "knot", "knots"]
        }
    }

    /// The symbols of all units, for messages.
    static let symbols = allCases.map { $0.names[0] }

    /// The unit that a column's normalized name states; nil for other columns.
    static func named(_ plain: String) -> SpeedUnit? { allCases.first { $0.columnNames.contains(plain) } }

    /// The unit with a name or symbol such as `km/h`, in any case; nil for other texts.
    init?(symbol: String) {
        let symbol = symbol.lowercased()
        guard let unit = Self.allCases.first(where: { $0.names.contains(symbol) }) else { return nil }
        self = unit
    }
}
