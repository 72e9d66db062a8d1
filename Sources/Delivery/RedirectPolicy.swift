import Model

/// Where a request goes on when its answer is a redirection.
///
/// - 301, 302, 307 and 308 are followed with the same method and body, five times at most: an event must not become a GET.
///   303 says that something else is to be read, and is not followed.
/// - From `https` to `http` nothing is followed.
/// - Another host, port or scheme is not shown the headers that let the request in, nor the signature. `http` to `https` of one
///   host keeps them.
public enum RedirectPolicy {
    public static let mostHops = 5

    /// The request to send in place of `request`; nil when the redirection is not followed.
    ///
    /// - Parameters:
    ///   - location: Where the answer points, as a whole URL.
    ///   - hops: How many redirections were followed before.
    public static func follow(_ request: OutgoingRequest, status: Int, to location: String?, hops: Int) -> OutgoingRequest? {
        guard let location, [301, 302, 307, 308].contains(status), hops < mostHops, WebAddress.flaw(location) == nil else {
            return nil
        }
        let (from, to) = (scheme(request.url), scheme(location))
        if from == "https", to == "http" { return nil }
        var next = request
        next.url = location
        let isSameHost =
            authority(request.url) == authority(location)
            || WebAddress.host(of: request.url) == WebAddress.host(of: location)
                && from == "http" && to == "https"
        if !isSameHost {
            let harmless: Set<String> = ["content-type", "idempotency-key"]
            next.headers.removeAll { !harmless.contains($0.name.lowercased()) }
            next.signingSecret = nil
        }
        return next
    }

    private static func scheme(_ url: String) -> String { url.prefix { $0 != ":" }.lowercased() }
    private static func authority(_ url: String) -> String { WebAddress.peer(url).lowercased() }
}
