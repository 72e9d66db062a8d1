import Model

/// What an app is told to do (OwnTracks booklet, "Remote commands").
public enum OwnTracksCommand {
    /// Publish the list of waypoints.
    public static let waypoints: JSONValue = ["_type": "cmd", "action": "waypoints"]
    /// Remove all waypoints, the person's own too.
    static let clearWaypoints: JSONValue = ["_type": "cmd", "action": "clearWaypoints"]

    /// Add waypoints, or replace those of the same identity.
    static func setWaypoints(_ waypoints: [JSONValue]) -> JSONValue {
        ["_type": "cmd", "action": "setWaypoints", "waypoints": ["_type": "waypoints", "waypoints": .array(waypoints)]]
    }
}
