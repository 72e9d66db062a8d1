import Foundation

/// A server of map tiles with the usual address scheme of zoom, column and row (https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames).
package struct MapTiles: Hashable, Sendable {
    /// The URL with the placeholders `{z}`, `{x}` and `{y}`.
    package let template: String
    /// The attribution of the map as plain text.
    package let attribution: String
    /// The scheme, host and port of the URL, for the browser's content security policy.
    package let origin: String

    /// - Returns: nil if the template lacks one of the placeholders or is not an http or https URL.
    package init?(template: String, attribution: String) {
        let places = ["{z}", "{x}", "{y}"]
        guard places.allSatisfy(template.contains) else { return nil }
        let sample = places.reduce(template) { $0.replacingOccurrences(of: $1, with: "1") }
        // The URL must not contain the characters that separate entries in a content security policy.
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
