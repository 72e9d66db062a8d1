import Model

/// Remote commands for an OwnTracks app (OwnTracks booklet, "Remote commands").
package enum OwnTracksCommand {
    /// Requests the list of waypoints.
    package static let waypoints: JSONValue = ["_type": "cmd", "action": "waypoints"]
    /// Removes all waypoints, including the person's own.
    static let clearWaypoints: JSONValue = ["_type": "cmd", "action": "clearWaypoints"]

    /// Adds waypoints, and replaces those with the same identity.
    static func setWaypoints(_ waypoints: [JSONValue]) -> JSONValue {
        ["_type": "cmd", "action": "setWaypoints", "waypoints": ["_type": "waypoints", "waypoints": .array(waypoints)]]
    }
}
