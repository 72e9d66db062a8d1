/// A unit of length in files whose values or columns name it.
enum LengthUnit: CaseIterable {
    case meter, kilometer, foot, yard, mile, nauticalMile

    /// The length of the unit in meters.
    var meters: Double {
        switch self {
        case .meter: 1
        case .kilometer: 1000
        case .foot: 0.3048
        case .yard: 0.9144
        case .mile: 1609.344
        case .nauticalMile: 1852
        }
    }

    /// The names in values and columns, in lower case. The first one is the symbol.
    var names: [String] {
        switch self {
        case .meter: ["m", "meter", "meters", "metre", "metres"]
        case .kilometer: ["km", "kilometer", "kilometers", "kilometre", "kilometres"]
        case .foot: ["ft", "foot", "feet"]
        case .yard: ["yd", "yds", "yard", "yards"]
        case .mile: ["mi", "mile", "miles"]
        case .nauticalMile: ["nmi"]
        }
    }

    /// The unit with a name in any case; nil for other names.
    static func named(_ name: String) -> LengthUnit? {
        let name = name.lowercased()
        return allCases.first { $0.names.contains(name) }
    }

    /// The symbols of all units, for messages.
    static let symbols = allCases.map { $0.names[0] }
}
