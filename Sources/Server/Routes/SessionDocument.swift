import Model
import Settings

/// Who is signed in to the dashboard, and what its pages need to know.
struct SessionDocument: Sendable {
    let role: Token.Role
    /// The token's name; nil for a service that needs no token.
    var name: String?
    let isOpen: Bool
    /// True for a token that is restricted to some devices.
    var isRestricted: Bool?
    var expiresAt: Instant?
    /// Of the service.
    let settings: Settings
}

extension SessionDocument: JSONWritable {
    static let output = JSONOutput<SessionDocument>(
        "Session", summary: "Who is signed in",
        .init("role", kind: .word, summary: "The role", content: \.role),
        .init("name", optional: .text, summary: "The token's name", content: \.name),
        .init("isOpen", kind: .flag, summary: "Whether the service accepts requests without a token", content: \.isOpen),
        .init(
            "isRestricted", optional: .flag,
            summary: "True for a token for some devices only; it cannot see sinks or problems of other devices",
            content: \.isRestricted),
        .init("expiresAt", optional: .time, summary: "When the session ends unless it is used", content: \.expiresAt),
        .init(
            "map", optional: .object(of: MapTiles.output),
            summary: "Where the map's images come from; when omitted, the page draws a plain map", content: \.settings.mapTiles),
        .init(
            "hasGeocoder", optional: .flag, summary: "True if the service finds places by their address (GET /v1/geocode)",
            content: { $0.settings.geocoder.map { _ in true } }))
}

extension MapTiles {
    static let output = JSONOutput<MapTiles>(
        "MapTiles", summary: "A source of map images",
        .init("tiles", kind: .text, summary: "A URL with {z}, {x} and {y} (slippy map tile names)", content: \.template),
        .init("attribution", kind: .text, summary: "The attribution of the map", content: \.attribution))
}
