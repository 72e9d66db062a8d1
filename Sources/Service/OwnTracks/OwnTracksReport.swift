import Model
import OwnTracks
import Registry

/// What a phone's OwnTracks app has said last of its regions and permissions, as it is kept.
struct OwnTracksReport {
    /// Its list of waypoints; nil before the first.
    var waypoints: [JSONValue]?
    /// When the list came.
    var listedAt: Instant?
    /// What its newest message `status` says of the platform; nil before the first.
    var status: JSONValue?

    init() {}

    init(json: JSONValue) {
        waypoints = json["waypoints"]?.array
        listedAt = json["listedAt"]?.string.flatMap(Instant.init)
        status = json["status"]
    }

    var json: JSONValue {
        .compact([
            ("waypoints", waypoints.map { .array($0) }), ("listedAt", listedAt.map { JSONValue($0) }), ("status", status),
        ])
    }

    /// Takes a message `status`; false when it says nothing of the platform.
    mutating func take(status message: JSONValue) -> Bool {
        guard let platform = message["iOS"] ?? message["android"] else { return false }
        status = platform
        return true
    }

    /// The list as a registry's snapshot. Until the app says otherwise, it may do what it needs.
    func snapshot(_ entries: [WaypointList.Entry], states: [RegionID: RegionState], at moment: Instant) -> RegistrySnapshot {
        var snapshot = RegistrySnapshot(takenAt: moment, regions: entries.map(\.region), states: states)
        guard let status else { return snapshot }
        // iOS, by the names of Core Location and UIKit
        if let text = status["locationManagerAuthorizationStatus"]?.string {
            snapshot.authorization = Self.authorization(iOS: text)
        }
        if let text = status["backgroundRefreshStatus"]?.string { snapshot.backgroundRefresh = text.hasSuffix("Available") }
        // Android: the booklet's `loc` (0 always and precise, -1 always, -2 in use and precise, -3 in use, -4 not at all), `bo`
        if let level = status["loc"]?.double {
            snapshot.authorization = level >= -1 ? .always : level >= -3 ? .whenInUse : .denied
            snapshot.preciseLocation = level != -1 && level != -3
        }
        if let isOptimized = status["bo"] { snapshot.batteryOptimized = isOptimized.bool ?? (isOptimized.double ?? 0 > 0) }
        return snapshot
    }

    private static func authorization(iOS name: String) -> Authorization {
        let known: [(String, Authorization)] = [
            ("AuthorizedWhenInUse", .whenInUse), ("Denied", .denied), ("Restricted", .restricted),
            ("NotDetermined", .notDetermined),
        ]
        return known.first { name.hasSuffix($0.0) }?.1 ?? .always
    }
}
