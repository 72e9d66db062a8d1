import Model

/// Whose a request of the OwnTracks app is, as far as it says so beside its body.
public struct OwnTracksSender: Hashable, Sendable {
    /// The header `X-Limit-U`, else `u` of the query.
    public var user: String?
    /// The header `X-Limit-D`, else `d` of the query.
    public var device: String?

    public init(user: String? = nil, device: String? = nil) {
        self.user = user
        self.device = device
    }

    /// `name`, when it can name a device.
    public var deviceId: String? { Identifier.device(name) }

    /// `user/device`, as in the topics of MQTT; nil when one of them is not known.
    var name: String? {
        guard let user, let device, !user.isEmpty, !device.isEmpty else { return nil }
        return "\(user)/\(device)"
    }
}

/// What the OwnTracks app sends over HTTP: one JSON object a request (OwnTracks booklet, "HTTP" and "JSON"). An array of them is
/// read too.
public enum OwnTracks {
    /// What a request was.
    public enum Outcome: Hashable, Sendable {
        /// Nothing: the app posts an empty body when a friend is removed.
        case empty
        /// It was read. Locations are rows or refusals of the batch; these are the other messages.
        case understood([OwnTracksMessage])
        /// It is not JSON, or too much; why.
        case unreadable(reason: String)
    }

    /// The most messages of one request.
    public static let most = 10_000

    /// Reads the body of one request. `Row.device` is −1 where nothing says whose a location is.
    ///
    /// The body is there as a whole, and what is made of it takes some twenty times its size for a while: 1 MB is ample. The
    /// device is what the sender says, else the last two parts of the topic, else the tracker id.
    ///
    /// - Parameter allowsNullIsland: Whether (0, 0), which mostly means "no fix", is taken as a position.
    public static func decode(
        _ body: UnsafeBufferPointer<UInt8>, sender: OwnTracksSender = OwnTracksSender(), allowsNullIsland: Bool = false,
        into batch: inout FixBatch
    ) -> Outcome {
        let bytes = unsafe body.span
        let content = bytes.trimmed(0..<bytes.count)
        if content.isEmpty { return .empty }
        let value: JSONValue
        do throws(JSONParser.Failure) {
            value = try JSONParser.parse(bytes.extracting(content))
        } catch {
            return .unreadable(reason: "it is not JSON (\(error.reason)); expected a message of OwnTracks")
        }
        let elements = value.array ?? [value]
        if elements.count > most {
            return .unreadable(reason: "it has \(elements.count) elements; expected \(most) messages at most")
        }
        var reader = OwnTracksReader(sender: sender, allowsNullIsland: allowsNullIsland)
        var messages: [OwnTracksMessage] = []
        for (index, element) in elements.enumerated() {
            if let message = reader.read(element, line: index + 1, into: &batch) { messages.append(message) }
        }
        return .understood(messages)
    }
}
