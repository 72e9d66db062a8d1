/// The topics on which OwnTracks apps publish (OwnTracks booklet, "Topics"): `owntracks/USER/DEVICE` for locations and the last will, and
/// one level below for each other type of message. Commands to the app (`/cmd`) are not included.
package enum OwnTracksTopic {
    private static let base = "owntracks"

    private static let kinds = [
        "beacon", "dump", "event", "info", "request", "status", "step", "steps", "waypoint", "waypoints",
    ]

    /// The device that the member `topic` of a message names: its last two levels, such as `user/phone`, or the last one if there is no
    /// other besides the base. Nil for none.
    ///
    /// Messages other than locations and last wills are published below the device's topic, as `owntracks/user/phone/event`. The base is
    /// a setting of the app, so it may be another than `owntracks`, or have several levels.
    static func device(ofTopic topic: String?, type: String) -> String? {
        guard let topic else { return nil }
        var levels = topic.split(separator: "/")
        if type != "location", type != "lwt", levels.count > 2, let last = levels.last,
            last == "cmd" || kinds.contains(String(last))
        {
            levels.removeLast()
        }
        if levels.count < 3, levels.first == Substring(base) { levels.removeFirst() }
        return levels.isEmpty ? nil : levels.suffix(2).joined(separator: "/")
    }

    /// The topic filters to subscribe to.
    package static let filters = ["\(base)/+/+"] + kinds.map { "\(base)/+/+/\($0)" }

    /// The topic on which a device publishes its positions. Its other topics are below.
    package static func base(of sender: OwnTracksSender) -> String { "\(base)/\(sender.user ?? "")/\(sender.device ?? "")" }

    /// The device that publishes on a topic; nil for other topics.
    package static func sender(of topic: String) -> OwnTracksSender? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 3 || levels.count == 4 && kinds.contains(String(levels[3])), levels[0] == base, !levels[1].isEmpty,
            !levels[2].isEmpty
        else { return nil }
        return OwnTracksSender(user: String(levels[1]), device: String(levels[2]))
    }
}
