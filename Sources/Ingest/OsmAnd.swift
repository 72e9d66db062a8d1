import Model

/// Decodes HTTP requests of Traccar Client and other apps with the OsmAnd protocol (Traccar documentation, "OsmAnd protocol").
///
/// Four encodings are in use: the query of a GET or POST request (OsmAnd, Traccar Client up to 8); the same keys in a form's body (Traccar
/// Client 10, which also sends a push token this way); one JSON object with the position in `location` (Traccar Client 9); and a JSON array
/// of flat objects with the keys of the query.
package enum OsmAnd {
    /// The result of decoding a request.
    package enum Outcome: Hashable, Sendable {
        /// Positions: rows and refusals were added to the batch. `line` is the position in a list, from 1; for a single position it is 1.
        case positions
        /// No position, only a sign of life.
        case keepAlive(device: String)
        /// A token for push notifications to the device, which is not stored. Also a sign of life.
        case notificationToken(device: String)
        /// The request does not identify the device.
        case missingID
        /// The name of the device is invalid. The reason also says what was expected.
        ///
        /// - Parameter field: The field of the name.
        case invalidID(field: String, value: String, reason: Phrase)
        /// None of the four encodings. The reason also says what was expected.
        case unreadable(reason: Phrase)
    }

    /// The maximum number of positions in one request.
    package static let maxPositions = 10_000

    /// Decodes one request. Fields that are separated by `;`, `?` or `&amp;` instead of `&` are understood if their names are known. Values
    /// without a field in a fix (`valid`, `hdop`, `charge`, `alarm`, …) become attributes.
    ///
    /// The body is passed as a whole. Decoding temporarily takes about twenty times its size in memory; 1 MB is a sufficient
    /// limit.
    ///
    /// - Parameters:
    ///   - query: The decoded fields of the query, without those that do not come from the app, such as an access token.
    ///   - contentType: The value of the `Content-Type` header, if there is one.
    ///   - now: The time for a position without one.
    ///   - options: Only the options about times and `allowsNullIsland` are used.
    package static func decode(
        query: [FormField], body: UnsafeBufferPointer<UInt8>, contentType: String?, now: Instant,
        options: DecodingOptions = DecodingOptions(), into batch: inout FixBatch
    ) -> Outcome {
        let bytes = unsafe body.span
        let content = bytes.trimmed(0..<bytes.count)
        var reader = OsmAndReader(now: now, options: options)
        if let first = content.first {
            let isJSON = MediaType.isJSON(contentType) || bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[")
            if isJSON { return reader.read(json: bytes.extracting(content), query: query, into: &batch) }
        }
        guard let form = FormFields.parse(bytes.extracting(content)), form.count + query.count <= FormFields.maxFields else {
            return .unreadable(reason: .expecting(.moreFieldsThan(FormFields.maxFields), Phrase("one position")))
        }
        return reader.read(form + query, into: &batch)
    }

    /// What a request contains, for a person who looks for its device: the fields of its query, or the beginning of its body.
    package static func excerpt(query: [FormField], body: [UInt8]) -> String {
        query.isEmpty ? body.span.excerpt(0..<body.count) : query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
}
