/// Decides whether and how a request follows a redirection.
///
/// - 301, 302, 307 and 308 are followed with the same method and body, at most five times; an event must not become a GET. 303 asks for a
///   GET of something else, and is not followed.
/// - A redirection from `https` to `http` is not followed.
/// - A different host, port or scheme does not receive credentials or the signature, except from `http` to `https` on the same host.
package enum RedirectPolicy {
    /// The maximum number of redirections to follow.
    package static let maxHops = 5

    /// The request to send instead of `request`; nil when the redirection is not followed.
    ///
    /// - Parameters:
    ///   - location: The target of the redirection as an absolute URL.
    ///   - hops: The number of redirections followed before.
    package static func redirected(_ request: OutgoingRequest, status: Int, to location: String?, hops: Int) -> OutgoingRequest? {
        guard let location, [301, 302, 307, 308].contains(status), hops < maxHops, WebAddress.flaw(location) == nil else {
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
