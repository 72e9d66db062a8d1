import Model

/// What the Traccar client and other apps with the OsmAnd protocol send over HTTP (Traccar documentation, "OsmAnd protocol").
///
/// Four encodings are in use: the query of a GET or POST (OsmAnd, Traccar client to 8); the same keys as a form's body (Traccar
/// client 10, which also sends a token for push messages so); one JSON object with the position in `location` (Traccar client 9);
/// a JSON array of flat objects with the keys of the query.
public enum OsmAnd {
    /// What a request was.
    public enum Outcome: Hashable, Sendable {
        /// Positions: rows and refusals were added to the batch. `line` is the place in a list, from 1; alone it is 1.
        case positions
        /// No position, but a sign that the device is alive.
        case keepAlive(device: String)
        /// A token for push messages to the device, which is not kept. A sign of life too.
        case notificationToken(device: String)
        /// Nothing says whose it is.
        case missingID
        /// Not one of the four encodings, or a device that cannot be named so; why, and what would be right.
        case unreadable(reason: String)
    }

    /// The most positions of one request.
    public static let most = 10_000

    /// Reads one request. What it knows beyond the fields of a fix (`valid`, `hdop`, `charge`, `alarm`, …) is kept as
    /// attributes.
    ///
    /// The body is there as a whole, and what is made of it takes some twenty times its size for a while: 1 MB is ample.
    ///
    /// - Parameters:
    ///   - query: The fields of the query, decoded and without those that are not the app's (a token of the service, say).
    ///   - contentType: The value of the header `Content-Type`, if there was one.
    ///   - now: The time of a position that has none.
    ///   - allowsNullIsland: Whether (0, 0), which mostly means "no fix", is taken as a position.
    public static func decode(
        query: [FormField], body: UnsafeBufferPointer<UInt8>, contentType: String?, now: Instant, allowsNullIsland: Bool = false,
        into batch: inout FixBatch
    ) -> Outcome {
        let bytes = unsafe body.span
        let content = bytes.trimmed(0..<bytes.count)
        var reader = OsmAndReader(now: now, allowsNullIsland: allowsNullIsland)
        if let first = content.first {
            let isJSON = MediaType.isJSON(contentType) || bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[")
            if isJSON { return reader.read(json: bytes.extracting(content), query: query, into: &batch) }
        }
        guard let form = FormFields.parse(bytes.extracting(content)), form.count + query.count <= FormFields.most else {
            return .unreadable(reason: "it has more than \(FormFields.most) fields; expected one position")
        }
        return reader.read(form + query, into: &batch)
    }
}
