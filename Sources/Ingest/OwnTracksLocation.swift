import Model

/// The messages of the OwnTracks app (OwnTracks booklet, "JSON"), as far as they are positions.
enum OwnTracksLocation {
    /// Reads a message; nil when it is not of the type `location`.
    ///
    /// The device is named by the last two parts of the topic, `user/phone`, else by the tracker id `tid`.
    static func reading(
        _ type: String, _ message: JSONValue, _ members: [JSONValue.Member], attributes: inout AttributeWriter
    ) -> JSONReading? {
        guard type == "location" else { return nil }
        let topic = message["topic"]?.string.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
        let device = topic.flatMap { $0.isEmpty ? nil : $0 }
        var object = JSONReading(
            members, .ownTracks, passingOver: device == nil ? ["_type", "topic", "tid"] : ["_type", "topic"],
            attributes: &attributes)
        object.device = device ?? message["tid"].flatMap(JSONReading.text)
        return object
    }

    /// Other messages are no positions, and passed over; but an encrypted one may have been one.
    static func refuseEncrypted(_ type: String, line: Int, _ sink: inout FixSink, into batch: inout FixBatch) {
        guard type == "encrypted" else { return }
        sink.refuse(
            line: line, field: "_type", value: type,
            reason: "it is encrypted, and a file does not say with which key; right would be a recording without encryption",
            into: &batch)
    }
}
