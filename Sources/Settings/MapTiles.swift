import Foundation

/// A server of map pictures, by the scheme that most follow: zoom, column and row in the address
/// (https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames).
public struct MapTiles: Hashable, Sendable {
    /// The address, with `{z}`, `{x}` and `{y}` in it.
    public let template: String
    /// Whose map it is, in plain text.
    public let attribution: String
    /// Scheme, host and port, which a browser is allowed to load pictures from.
    public let origin: String

    /// What a template must look like.
    public static let form = "https://HOST/PATH with {z}, {x} and {y} in it, as https://tile.example.org/{z}/{x}/{y}.png"

    /// - Returns: nil for a template without the three places, or that is no address of http or https.
    public init?(template: String, attribution: String) {
        let places = ["{z}", "{x}", "{y}"]
        guard places.allSatisfy(template.contains) else { return nil }
        let sample = places.reduce(template) { $0.replacingOccurrences(of: $1, with: "1") }
        // What a policy's list is separated by must not come into it.
        guard !sample.contains(where: { " ;,{}'\"".contains($0) || !$0.isASCII }), let url = URLComponents(string: sample),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
            url.user == nil
        else { return nil }
        self.template = template
        self.attribution = attribution
        origin =
            "\(scheme)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host)\(url.port.map { ":\($0)" } ?? "")"
    }
}
