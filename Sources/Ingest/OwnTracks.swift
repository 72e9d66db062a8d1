import Model

/// Decodes HTTP requests of the OwnTracks app: one JSON object per request (OwnTracks booklet, "HTTP" and "JSON"), or an array of them.
package enum OwnTracks {
    /// The result of decoding a request.
    package enum Outcome: Hashable, Sendable {
        /// An empty body, which the app posts when a friend is removed.
        case empty
        /// The request was decoded. Locations are rows or refusals in the batch; the other messages are here.
        case understood([OwnTracksMessage])
        /// The body is not JSON, or has too many elements.
        case unreadable(reason: Phrase)
    }

    /// The maximum number of messages in one request.
    package static let maxMessages = 10_000

    /// Decodes the body of one request. `Row.device` is −1 if nothing names the device of a location.
    ///
    /// The body is passed as a whole. Decoding temporarily takes about twenty times its size in memory; 1 MB is a sufficient
    /// limit. The device is that of `OwnTracksSender.name(topic:type:)`.
    ///
    /// - Parameter options: Only the options about times and `allowsNullIsland` are used.
    package static func decode(
        _ body: UnsafeBufferPointer<UInt8>, sender: OwnTracksSender = OwnTracksSender(),
        options: DecodingOptions = DecodingOptions(), into batch: inout FixBatch
    ) -> Outcome {
        let bytes = unsafe body.span
        let content = bytes.trimmed(0..<bytes.count)
        if content.isEmpty { return .empty }
        let value: JSONValue
        do throws(JSONParser.Failure) {
            value = try JSONParser.parse(bytes.extracting(content))
        } catch {
            return .unreadable(reason: .expecting(.notJSON(error.reason), Phrase("a message of OwnTracks")))
        }
        let elements = value.array ?? [value]
        if elements.count > maxMessages {
            return .unreadable(reason: .expecting(.elements(elements.count), .messagesAtMost(maxMessages)))
        }
        var reader = OwnTracksReader(sender: sender, options: options)
        var messages: [OwnTracksMessage] = []
        for (index, element) in elements.enumerated() {
            if let message = reader.read(element, line: index + 1, into: &batch) { messages.append(message) }
        }
        return .understood(messages)
    }
}
