import Model
import OwnTracks
import Registry

/// The last report of a phone's OwnTracks app about its regions and permissions, as it is stored.
package struct OwnTracksReport {
    /// The list of waypoints; nil before the first one.
    var waypoints: [JSONValue]?
    /// When the list arrived.
    var listedAt: Instant?
    /// The platform's part of the newest `status` message; nil before the first one.
    var status: JSONValue?

    package init() {}

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

    /// Stores a `status` message. Returns false if it has no part for the platform.
    package mutating func storeStatus(_ message: JSONValue) -> Bool {
        guard let platform = message["iOS"] ?? message["android"] else { return false }
        status = platform
        return true
    }

    /// The list as a registry's snapshot. Without a `status` message, all permissions count as granted.
    package func snapshot(_ entries: [WaypointList.Entry], states: [RegionID: RegionState], at moment: Instant)
        -> RegistrySnapshot
    {
        var snapshot = RegistrySnapshot(takenAt: moment, regions: entries.map(\.region), states: states)
        guard let status else { return snapshot }
        // iOS: names from Core Location and UIKit
        if let text = status["locationManagerAuthorizationStatus"]?.string {
            snapshot.authorization = Self.authorization(iOS: text)
        }
        if let text = status["backgroundRefreshStatus"]?.string { snapshot.backgroundRefresh = text.hasSuffix("Available") }
        // Android: the booklet's `loc` (0: always and precise, -1: always, -2: in use and precise, -3: in use, -4: denied) and `bo`
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
