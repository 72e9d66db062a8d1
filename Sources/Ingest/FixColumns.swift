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
                "timestamp", "time", "datetime", "date_time", "utc", "time_utc", "utc_time", "timestamp_utc", "utc_datetime",
                "fix_time", "fixtime", "tst", "gps_time", "recorded_at", "created_at", "date",
            ]
        case .latitude: ["latitude", "lat", "location_lat", "y"]
        case .longitude: ["longitude", "lon", "lng", "long", "location_long", "location_lon", "x"]
        case .accuracy:
            ["accuracy", "accuracy_m", "acc", "hacc", "h_acc", "horizontal_accuracy", "horizontal_accuracy_m", "haccuracy"]
        case .altitude: ["altitude", "altitude_m", "alt", "ele", "elevation", "elevation_m", "height"]
        case .speed: ["speed", "speed_mps", "speed_m_s", "velocity_mps", "ground_speed"]
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
        var found: [FixField: Int] = [:]
        for (name, column) in columns.sorted(by: { $0.key < $1.key }) {
            let plain = CSVHeader.plain(name)
            guard let field = FixField.allCases.first(where: { Self.aliases(of: $0).contains(plain) }) else {
                throw .validationFailed(
                    field: "--columns", value: "\(name)=\(column)", reason: .noField(name),
                    expected: .oneOf(FixField.allCases.map(\.name)))
            }
            let exact = header.names.firstIndex(of: column)
            guard let index = exact ?? header.column([CSVHeader.plain(column)]) else {
                throw .validationFailed(
                    field: "--columns", value: "\(name)=\(column)", reason: .noColumn(source, column),
                    expected: .oneOfColumns(header.names))
            }
            found[field] = index
        }
        for field in FixField.allCases where found[field] == nil {
            guard let index = header.column(Self.aliases(of: field)), !found.values.contains(index) else { continue }
            found[field] = index
        }
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
