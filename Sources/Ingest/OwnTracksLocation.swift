import Model

/// Reads OwnTracks messages that are positions (OwnTracks booklet, "JSON").
enum OwnTracksLocation {
    /// Reads a message; nil if its type is not `location`.
    ///
    /// - Parameter sender: The device, if it is known otherwise; else the topic or the tracker id `tid` names it.
    static func reading(
        type: String, message: JSONValue, members: [JSONValue.Member], of sender: String? = nil,
        attributes: inout AttributeWriter
    ) -> JSONReading? {
        guard type == "location" else { return nil }
        let device = sender ?? device(ofTopic: message["topic"]?.string, type: type)
        var object = JSONReading(
            members, .ownTracks, excluding: device == nil ? ["_type", "topic", "tid"] : ["_type", "topic"],
            attributes: &attributes)
        object.device = device ?? message["tid"].flatMap(JSONReading.text)
        return object
    }

    /// The device that the last two levels of a topic name, such as `user/phone`; nil for none.
    ///
    /// Messages other than locations and last wills are published below the device's topic, as `owntracks/user/phone/event` (OwnTracks
    /// booklet, "Topics").
    static func device(ofTopic topic: String?, type: String) -> String? {
        guard let topic else { return nil }
        var parts = topic.split(separator: "/")
        if type != "location", type != "lwt", parts.count > 2, let last = parts.last, subtopics.contains(String(last)) {
            parts.removeLast()
        }
        return parts.isEmpty ? nil : parts.suffix(2).joined(separator: "/")
    }

    private static let subtopics: Set = [
        "beacon", "cmd", "dump", "event", "info", "request", "status", "step", "steps", "waypoint", "waypoints",
    ]

    /// Refuses an encrypted message, which may be a position. Other messages are skipped.
    static func refuseEncrypted(_ type: String, line: Int, _ sink: inout FixSink, into batch: inout FixBatch) {
        guard type == "encrypted" else { return }
        sink.refuse(
            .encrypted, line: line, field: "_type", value: type,
            reason: .expecting(.encryptedFile, .unencryptedRecording),
            into: &batch)
    }
}
