import Model

/// Reports in English.
struct EnglishReport: ReportCatalog {
    func title(_ subject: ReportQuestion.Subject, _ period: ReportPeriod) -> String {
        let period =
            switch period {
            case .month: "month"
            case .week: "week"
            case .day: "day"
            }
        return switch subject {
        case .geofence: "Time in each geofence, by \(period)"
        case .device: "Time in geofences and distance of each device, by \(period)"
        case .group: "Time in geofences and distance of each group, by \(period)"
        }
    }

    func heading(_ period: ReportPeriod) -> String {
        switch period {
        case .month: "Month"
        case .week: "Week"
        case .day: "Day"
        }
    }

    func heading(_ subject: ReportQuestion.Subject) -> String {
        switch subject {
        case .geofence: "Geofence"
        case .device: "Device"
        case .group: "Group"
        }
    }

    var visits: String { "Visits" }
    var seen: String { "Seen" }
    var firstIn: String { "First in" }
    var lastOut: String { "Last out" }
    var distance: String { "Distance" }
    var stillThere: String { "still there" }
    var unknown: String { "unknown" }
    func only(device: String) -> String { "Only device \(device)" }
    func only(group: String) -> String { "Only group \(group)" }
    func only(geofence: String) -> String { "Only geofence \(geofence)" }
    func made(at time: String) -> String { "Created at \(time)" }

    func unknownVisits(_ count: Int) -> String {
        "For \(count.counted("visit", "visits")), it is unknown how long the device was seen, because positions were removed; "
            + "\(count == 1 ? "it is" : "they are") not counted as seen."
    }

    func omittedVisits(_ count: Int, shorterThan duration: String) -> String {
        "\(count.counted("visit", "visits")) in which the device was seen for less than \(duration) "
            + "\(count == 1 ? "is" : "are") left out."
    }

    func outliers(_ count: Int) -> String {
        "\(count.counted("outlier", "outliers")) left out of the distance: positions that imply more than the maximum speed of the device's "
            + "policy."
    }

    func notEvaluated(_ devices: [String], since: String, isPossible: Bool) -> String {
        let who =
            devices.count == 1
            ? devices[0]
            : "\(devices.count) devices (\(devices.prefix(3).joined(separator: ", "))\(devices.count > 3 ? ", …" : ""))"
        return isPossible
            ? "Late positions of \(who), the earliest from \(since), are not evaluated yet; visits since then may be missing or wrong."
            : "Late positions of \(who), the earliest from \(since), cannot be evaluated, because older positions were deleted or never "
                + "kept; visits of that time do not include them."
    }

    var nothing: String { "No visits or positions match." }
}
