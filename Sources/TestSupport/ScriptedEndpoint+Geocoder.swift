import Foundation

extension ScriptedEndpoint {
    /// A geocoder with Nominatim's API. The address of a place is its coordinates with the language of the request. There is no address at the
    /// equator, and one place for each text except `nowhere`.
    package static func geocoder() throws -> ScriptedEndpoint { try ScriptedEndpoint { request, _ in answer(request) } }

    private static func answer(_ request: Request) -> Step {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        let fields = (parts.last ?? "").split(separator: "&").reduce(into: [String: String]()) { fields, field in
            let pair = field.split(separator: "=", omittingEmptySubsequences: false)
            fields[String(pair[0])] = pair.last?.removingPercentEncoding
        }
        switch parts.first {
        case "/reverse":
            guard fields["format"] == "jsonv2", let latitude = fields["lat"], let longitude = fields["lon"] else { break }
            if latitude == "0.0" { return .answer(200, body: #"{"error":"Unable to geocode"}"#) }
            return .answer(
                200, body: #"{"display_name":"Street \#(latitude) \#(longitude), \#(fields["accept-language"] ?? "")"}"#)
        case "/search":
            guard fields["format"] == "jsonv2", let text = fields["q"] else { break }
            if text == "nowhere" { return .answer(200, body: "[]") }
            return .answer(
                200,
                body: #"[{"lat":"52.51","lon":"13.39","display_name":"\#(text), Germany","boundingbox":["#
                    + #""52.5","52.52","13.38","13.4"]}]"#)
        default: break
        }
        return .answer(404, body: "<html>")
    }
}
