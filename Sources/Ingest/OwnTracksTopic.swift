/// The topics on which OwnTracks apps publish at an MQTT broker (OwnTracks booklet, "Topics"): `owntracks/USER/DEVICE` for locations
/// and the last will, and one below it for each other kind of message. Commands to the app (`/cmd`) are not among them.
public enum OwnTracksTopic {
    private static let base = "owntracks"

    private static let kinds = [
        "beacon", "dump", "event", "info", "request", "status", "step", "steps", "waypoint", "waypoints",
    ]

    /// What to subscribe to.
    public static let filters = ["\(base)/+/+"] + kinds.map { "\(base)/+/+/\($0)" }

    /// Where a device publishes its positions; other topics are below it.
    public static func base(of sender: OwnTracksSender) -> String { "\(base)/\(sender.user ?? "")/\(sender.device ?? "")" }

    /// The device that publishes on a topic; nil for another topic.
    public static func sender(of topic: String) -> OwnTracksSender? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 3 || levels.count == 4 && kinds.contains(String(levels[3])), levels[0] == base, !levels[1].isEmpty,
            !levels[2].isEmpty
        else { return nil }
        return OwnTracksSender(user: String(levels[1]), device: String(levels[2]))
    }
}
