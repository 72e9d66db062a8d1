import Model

/// Reads OwnTracks messages that are positions (OwnTracks booklet, "JSON").
enum OwnTracksLocation {
    /// Reads a message; nil if its type is not `location`.
    ///
    /// - Parameter device: The name of the device; nil if it is unknown.
    static func reading(
        type: String, members: [JSONValue.Member], of device: String?, attributes: inout AttributeWriter
    ) -> JSONReading? {
        guard type == "location" else { return nil }
        var object = JSONReading(members, .ownTracks, excluding: ["_type", "topic"], attributes: &attributes)
        object.device = device
        return object
    }

    /// Refuses an encrypted message, which may be a position. Other messages are skipped.
    static func refuseEncrypted(_ type: String, line: Int, _ sink: inout FixSink, into batch: inout FixBatch) {
        guard type == "encrypted" else { return }
        sink.refuse(
            .encrypted, line: line, field: "_type", value: type,
            reason: .expecting(
                Phrase("it is encrypted, and a file does not name the key"), Phrase("a recording without encryption")),
            into: &batch)
    }
}
