import Model

/// A server that accepts positions.
package struct PositionTarget: Hashable, Sendable {
    /// The format of positions.
    package enum Format: String, CaseIterable, Sendable {
        /// Picket's own JSON for `POST /v1/positions`.
        case picket
        /// The JSON of the OwnTracks app in HTTP mode.
        case ownTracks = "owntracks"
        /// The query string of the OsmAnd protocol, as sent by Traccar Client.
        case osmAnd = "osmand"
    }

    package var url: String
    package var format: Format
    /// Sent as a bearer token. Secret.
    package var token: String?

    package init(url: String, format: Format, token: String? = nil) {
        self.url = url
        self.format = format
        self.token = token
    }
}
