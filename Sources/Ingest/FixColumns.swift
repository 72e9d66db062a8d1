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
        /// Unknown; becomes an attribute.
        case other
    }

    /// The greatest number of columns.
    static let maxColumns = 1000
    /// The greatest size of a column's name in bytes, because the name is stored with each attribute.
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

    /// The common names of a field's column, the most specific first, normalized as by `CSVHeader.plain`.
    static func aliases(of field: FixField) -> [String] {
        switch field {
        case .device:
            [
                "device", "device_id", "deviceid", "device_name", "tracker", "tracker_id", "vehicle", "vehicle_id", "imei",
                "individual_local_identifier", "tag_local_identifier", "track", "track_id", "trackid", "user", "user_id", "id",
            ]
        case .time:
            [
                "fixtime", "fix_time", "timestamp", "time", "datetime", "date_time", "utc", "time_utc", "utc_time",
                "timestamp_utc",
                "utc_datetime", "tst", "gps_time", "recorded_at", "created_at", "devicetime", "device_time", "servertime",
                "server_time", "date",
            ]
        case .latitude: ["latitude", "lat", "location_lat", "y"]
        case .longitude: ["longitude", "lon", "lng", "long", "location_long", "location_lon", "x"]
        case .accuracy:
            ["accuracy", "accuracy_m", "acc", "hacc", "h_acc", "horizontal_accuracy", "horizontal_accuracy_m", "haccuracy"]
        case .altitude: ["altitude", "altitude_m", "alt", "ele", "elevation", "elevation_m", "height"]
        case .speed: SpeedUnit.allCases.flatMap(\.columnNames)
        case .course: ["course", "bearing", "heading", "cog"]
        case .battery: ["battery", "battery_level", "batt"]
        }
    }

    /// Assigns the columns: first those of `columns` (field → column), then those with known names.
    ///
    /// - Throws: `Problem` if latitude, longitude or (unless `timeIsGiven`) time have no column, or if `columns` names an unknown field or
    ///   column.
    init(_ header: CSVHeader, mapping columns: [String: String], timeIsGiven: Bool, source: ProblemSubject) throws(Problem) {
        self.header = header
        if header.names.count > Self.maxColumns || header.names.contains(where: { $0.utf8.count > Self.maxNameBytes }) {
            throw .decodingFailed(
                source: source, line: 1,
                reason: .expecting(.headerTooLarge(Self.maxColumns, Self.maxNameBytes), .columnNames))
        }
        var roles = [Role](repeating: .other, count: header.names.count)
        let found = try CSVColumns.find(
            FixField.allCases.map { CSVColumns.Candidate(field: $0, name: $0.name, aliases: Self.aliases(of: $0)) }, in: header,
            mapping: columns, source: source)
        let needed: [FixField] = timeIsGiven ? [.latitude, .longitude] : [.time, .latitude, .longitude]
        let missing = needed.filter { found[$0] == nil }
        guard missing.isEmpty else {
            let example = missing.map { "\($0.name)=COLUMN" }.joined(separator: ",")
            throw .decodingFailed(
                source: source, line: 1,
                reason: .expecting(.columnsUnknown(missing.map(\.name), header.names), .columnsOption(example)))
        }
        for (field, index) in found {
            roles[index] =
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
                case .battery: CSVHeader.plain(header.names[index]) == "batt" ? .percent : .battery
                }
        }
        let date = header.column(["date", "utc_date", "date_utc", "gps_date"])
        splitsTime = date.map { roles[$0] == .other && found[.time] != nil } ?? false
        if let date, splitsTime { roles[date] = .date }
        for (name, role) in [("hdop", Role.dilution), ("valid", .validity)] {
            if let index = header.column([name]), roles[index] == .other { roles[index] = role }
        }
        self.roles = roles
        namesDevice = found[.device] != nil
        speedUnit = Self.speedUnit(of: header, column: found[.speed], mapping: columns)
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
        case .date, .dilution, .validity, .other: nil
        }
    }
}
