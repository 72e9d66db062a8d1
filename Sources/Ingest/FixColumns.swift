import Model

/// Assigns the columns of a CSV file of positions to fields.
struct FixColumns {
    /// What a column contains.
    enum Role: UInt8 {
        case device, time, latitude, longitude, accuracy, altitude, speed, course, battery, percent
        /// The date that belongs to a time of day in another column.
        case date
        /// Horizontal dilution of precision, and whether the position is valid. Both also become attributes.
        case dilution, validity
        /// The hemisphere of a coordinate.
        case hemisphere
        /// The unit of another column.
        case accuracyUnit, altitudeUnit, speedUnit
        /// Unknown; becomes an attribute.
        case other
    }

    /// The maximum size of a column's name in bytes, because the name is stored with each attribute.
    static let maxNameBytes = 128

    let header: CSVHeader
    /// The role of each column of the header.
    let roles: [Role]
    /// Whether a column names the device.
    let namesDevice: Bool
    /// Whether date and time of day may be in two columns.
    let splitsTime: Bool
    /// The unit of the speed.
    let speedUnit: SpeedUnit
    /// The unit of the accuracy that its column states; nil for none.
    let accuracyUnit: LengthUnit?
    /// The unit of the altitude that its column states; nil for none.
    let altitudeUnit: LengthUnit?
    /// Whether the coordinates are degrees × 10⁷.
    let latitudeIsE7: Bool
    let longitudeIsE7: Bool
    /// The number of columns that name the hemisphere of a coordinate.
    let hemispheres: Int
    /// The fields whose unit is in another column.
    let unitColumns: Set<FixField>
    /// Whether coordinates are degrees with a sign, and no column changes the meaning of others.
    let isPlain: Bool

    /// The fields that a column may hold.
    static let candidates = FixField.allCases.map { field in
        CSVColumns.Candidate(field: field, name: field.name, aliases: aliases(of: field), units: units(of: field))
    }

    private static func units(of field: FixField) -> [String] {
        switch field {
        case .latitude, .longitude: CSVColumns.angles
        case .accuracy, .altitude: CSVColumns.lengths
        default: []
        }
    }

    /// The common names of a field's column, the most specific first, normalized as by `CSVHeader.plain`.
    static func aliases(of field: FixField) -> [String] {
        switch field {
        case .device:
            [
                "device", "device_id", "deviceid", "device_name", "tracker", "tracker_id", "vehicle", "vehicle_id",
                "vehicle_name",
                "imei", "asset", "asset_id", "asset_name", "driver", "license_plate", "plate", "gerät", "fahrzeug", "kennzeichen",
                "fahrer",
                "individual_local_identifier", "tag_local_identifier", "track", "track_id", "trackid", "user", "user_id", "id",
            ]
        case .time:
            [
                "fixtime", "fix_time", "timestamp", "time", "datetime", "date_time", "utc", "time_utc", "utc_time",
                "timestamp_utc", "timestampms", "timestamp_ms",
                "utc_datetime", "tst", "gps_time", "recorded_at", "created_at", "devicetime", "device_time", "servertime",
                "server_time", "date",
            ]
        case .latitude: ["latitude", "lat", "location_lat", "y"]
        case .longitude: ["longitude", "lon", "lng", "long", "location_long", "location_lon", "x"]
        case .accuracy:
            ["accuracy", "acc", "hacc", "h_acc", "horizontal_accuracy", "haccuracy"]
        case .altitude: ["altitude", "alt", "ele", "elevation", "height"]
        case .speed: SpeedUnit.allCases.flatMap(\.columnNames)
        case .course: ["course", "bearing", "heading", "cog"]
        case .battery: ["battery", "battery_level", "batt"]
        }
    }

    /// Assigns the columns: first those of `columns` (field → column), then those with known names.
    ///
    /// - Throws: `Problem` if latitude, longitude or (unless `timeIsGiven`) time have no column, if `columns` names an unknown
    ///   field or column, or if Picket does not read a column that changes the meaning of others.
    init(_ header: CSVHeader, mapping columns: [String: String], timeIsGiven: Bool, source: ProblemSubject) throws(Problem) {
        self.header = header
        let maxColumns = CSVHeader.maxColumns
        if header.names.count > maxColumns || header.names.contains(where: { $0.utf8.count > Self.maxNameBytes }) {
            throw .decodingFailed(
                source: source, line: 1, reason: .expecting(.headerTooLarge(maxColumns, Self.maxNameBytes), .columnNames))
        }
        var roles = [Role](repeating: .other, count: header.names.count)
        let found = try CSVColumns.find(Self.candidates, in: header, mapping: columns, source: source)
        let needed: [FixField] = timeIsGiven ? [.latitude, .longitude] : [.time, .latitude, .longitude]
        let missing = needed.filter { found[$0] == nil }
        guard missing.isEmpty else {
            let example = missing.map { "\($0.name)=COLUMN" }.joined(separator: ",")
            throw .decodingFailed(
                source: source, line: 1,
                reason: .expecting(
                    .columnsUnknown(missing.map(\.name), separator: header.separatorName, columns: header.names),
                    .columnsOption(example)))
        }
        for (field, column) in found {
            roles[column.index] =
                switch field {
                case .device: .device
                case .time: .time
                case .latitude: .latitude
                case .longitude: .longitude
                case .accuracy: .accuracy
                case .altitude: .altitude
                case .speed: .speed
                case .course: .course
                // Trackers write a column of this name in percent (OwnTracks, OsmAnd).
                case .battery: CSVHeader.plain(header.names[column.index]) == "batt" ? .percent : .battery
                }
        }
        let date = header.column(["date", "utc_date", "date_utc", "gps_date"])
        splitsTime = date.map { roles[$0] == .other && found[.time] != nil } ?? false
        if let date, splitsTime { roles[date] = .date }
        for (name, role) in [("hdop", Role.dilution), ("valid", .validity)] {
            if let index = header.column([name]), roles[index] == .other { roles[index] = role }
        }
        namesDevice = found[.device] != nil
        speedUnit = Self.speedUnit(of: header, column: found[.speed]?.index, mapping: columns)
        accuracyUnit = found[.accuracy]?.unit.flatMap(LengthUnit.named)
        altitudeUnit = found[.altitude]?.unit.flatMap(LengthUnit.named)
        latitudeIsE7 = found[.latitude]?.unit == CSVColumns.e7
        longitudeIsE7 = found[.longitude]?.unit == CSVColumns.e7
        let modifying = try ModifyingColumns(
            header, except: header.names.indices.filter { roles[$0] != .other }, source: source)
        let unclear = ["", "length", "distance"].compactMap { modifying.units[$0] }.filter {
            CSVHeader.plain(header.names[$0]) != "unit"  // the number of a vehicle
        }
        if !unclear.isEmpty, [.accuracy, .altitude, .speed].contains(where: { found[$0] != nil }) {
            throw ModifyingColumns.refusal(of: unclear, in: header, source, .unitInColumn)
        }
        for index in modifying.hemispheres { roles[index] = .hemisphere }
        hemispheres = modifying.hemispheres.count
        var unitColumns: Set<FixField> = []
        for (field, role, isStated) in [
            (FixField.accuracy, Role.accuracyUnit, accuracyUnit != nil), (.altitude, .altitudeUnit, altitudeUnit != nil),
            (.speed, .speedUnit, speedUnit != .metersPerSecond),
        ] where found[field] != nil && !isStated {
            guard let column = Self.aliases(of: field).lazy.compactMap({ modifying.units[$0] }).first else { continue }
            roles[column] = role
            unitColumns.insert(field)
        }
        self.roles = roles
        self.unitColumns = unitColumns
        isPlain = hemispheres == 0 && unitColumns.isEmpty && !latitudeIsE7 && !longitudeIsE7
    }

    /// The unit of the speed: what the person says by `speed_kmh=COLUMN`, else what the name of the column says. Traccar's exports, which
    /// have `fixTime` beside other times, have knots.
    private static func speedUnit(of header: CSVHeader, column: Int?, mapping columns: [String: String]) -> SpeedUnit {
        guard let column else { return .metersPerSecond }
        let said = columns.keys.lazy.compactMap { SpeedUnit.named(CSVHeader.plain($0)) }.first
        if let said, said != .metersPerSecond { return said }
        let plain = CSVHeader.plain(header.names[column])
        if plain == "speed", header.column(["fixtime"]) != nil, header.column(["devicetime", "servertime"]) != nil {
            return .knots
        }
        return SpeedUnit.named(plain) ?? .metersPerSecond
    }

    /// The name of the column that contains a field, as written in the file.
    func name(of field: FixField) -> String {
        let role = roles.firstIndex { $0.field == field }
        return role.map { header.names[$0] } ?? field.name
    }
}

extension FixColumns.Role {
    /// Whether the column contains numbers other than coordinates and times.
    var hasNumber: Bool {
        switch self {
        case .accuracy, .altitude, .speed, .course, .battery, .percent, .dilution: true
        default: false
        }
    }

    /// The field that the column contains; nil for other columns.
    var field: FixField? {
        switch self {
        case .device: .device
        case .time: .time
        case .latitude: .latitude
        case .longitude: .longitude
        case .accuracy: .accuracy
        case .altitude: .altitude
        case .speed: .speed
        case .course: .course
        case .battery, .percent: .battery
        case .date, .dilution, .validity, .other, .hemisphere, .accuracyUnit, .altitudeUnit, .speedUnit: nil
        }
    }
}
