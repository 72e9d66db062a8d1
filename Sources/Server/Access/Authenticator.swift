import Foundation
import HTTPServer
import Model
import Places
import Routing
import Settings
import Synchronization

/// Decides which requests are accepted.
///
/// As long as no token exists, a service that only listens on this machine accepts all requests, except those that a page of another site
/// makes in a browser. Such a request has a foreign `Origin`, or a foreign `Host` if a name was made to resolve to this machine.
final class Authenticator: Sendable {
    private let list: Mutex<AccessList>
    /// The hosts that a `Host` header of this service may have, in lowercase and without the port.
    private let hosts: Set<String>
    private let clock: any WallClock
    /// Whether the service can only be reached from this machine, according to its settings.
    private let isLocal: Bool
    let sessions: Sessions
    let streamTokens: StreamTokens

    init(_ stored: StoredAccess, _ settings: Settings, at site: ServiceSite, clock: any WallClock) {
        isLocal = settings.listen.isLoopback && settings.publicURL == nil
        sessions = Sessions(
            secret: stored.storeSecret, isSecure: site.isEncrypted || settings.publicURL?.hasPrefix("https:") == true)
        streamTokens = StreamTokens(secret: stored.storeSecret)
        list = Mutex(stored.accessList)
        var hosts: Set<String> = ["localhost", "127.0.0.1", "::1", Self.hostName(of: "\(site.address)")]
        if let host = settings.publicURL?.components(separatedBy: "://").last { hosts.insert(Self.hostName(of: host)) }
        self.hosts = hosts
        self.clock = clock
    }

    /// Replaces the accepted tokens.
    func replaceTokens(with list: AccessList) { self.list.withLock { $0 = list } }

    /// Whether there is a token with this id that was not revoked.
    func acceptsToken(id: String) -> Bool { list.withLock { $0.hasToken(id: id) } }

    /// Whether requests without a token are accepted.
    var isOpen: Bool { list.withLock { $0.isOpen } }

    /// Authenticates a request.
    ///
    /// - Returns: The token of the request, or nil where none is needed; and the user name in Basic credentials.
    /// - Throws: `Problem.unauthorized`, `.sessionExpired` or `.forbidden`.
    func authenticate(_ request: Request, for route: Route<API>) throws(Problem) -> (token: Token?, user: String?) {
        let access = route.access
        if access == .open {
            if route.isForPages { try refuseOtherSites(request) }
            return (nil, nil)
        }
        let list = list.withLock { $0 }
        let shown = try Self.credentials(request, route)
        guard let shown else {
            if let token = try tokenOfSession(request, to: access, list) {
                try checkRole(of: token, for: route)
                return (token, nil)
            }
            guard list.isOpen, isLocal else {
                throw .unauthorized(details: .tokenNotShown)
            }
            try refuseForeign(request)
            return (nil, nil)
        }
        let token: Token
        do throws(Problem) {
            let now = clock.now()
            token =
                shown.isStreamToken
                ? try list.token(id: streamTokens.tokenID(in: shown.secret, at: now), at: now)
                : try list.token(shown.secret, at: now)
        } catch {
            // No token exists, so the password that an app sends has no meaning.
            guard list.isOpen, isLocal else { throw error }
            try refuseForeign(request)
            return (nil, shown.user)
        }
        try checkRole(of: token, for: route)
        return (token, shown.user)
    }

    private func checkRole(of token: Token, for route: Route<API>) throws(Problem) {
        let mayPass =
            switch route.access {
            case .open: true
            case .reader: token.role.mayRead
            case .admin: token.role.mayChange
            case .ingest: token.role.mayReport
            }
        guard mayPass else {
            throw .forbidden(details: .roleForbids(token.name, token.role.rawValue))
        }
        guard token.scope == nil || route.restricted == .allowed else {
            throw .forbidden(
                details: Phrase("the token '\(token.name)' is restricted to some devices, and this request concerns all devices"))
        }
    }

    /// The token with a secret.
    ///
    /// - Throws: `Problem.unauthorized` and `.sessionExpired` as `AccessList.token(_:at:)`.
    func token(_ secret: String) throws(Problem) -> Token { try list.withLock { $0 }.token(secret, at: clock.now()) }

    // MARK: - Sessions

    /// The token of the session whose cookie the browser sends; nil without a valid session.
    private func tokenOfSession(
        _ request: Request, to access: RouteAccess, _ list: AccessList
    ) throws(Problem) -> Token? {
        let now = clock.now()
        guard let header = request.headers[.cookie], let session = sessions.session(in: header, at: now) else { return nil }
        // Browsers also send cookies with requests of other origins, if these are of the same site. They are refused even where
        // `cors-origins` lets pages of these origins use tokens.
        try refuseOtherOrigins(request)
        // Position reports change data even by GET.
        if request.method != "GET" && request.method != "HEAD" || access == .ingest { try refuseOtherSites(request) }
        return try list.token(id: session.tokenID, at: now)
    }

    /// Rejects requests that a page of another site causes in a browser. Only pages of this service can set the header `X-Picket-Page`
    /// (Fetch standard, "CORS-safelisted request-header"). Browsers that support `Sec-Fetch-Site` or `Origin` send the origin of the page.
    private func refuseOtherSites(_ request: Request) throws(Problem) {
        try refuseOtherOrigins(request)
        if request.headers[.xPicketPage] == nil {
            throw .forbidden(details: Phrase("the header X-Picket-Page is missing, which identifies requests of the dashboard"))
        }
    }

    private func refuseOtherOrigins(_ request: Request) throws(Problem) {
        let site = request.headers[.secFetchSite]
        let origin = request.headers[.origin].map(Self.authority(ofOrigin:))
        let isForeign = site.map { $0 != "same-origin" && $0 != "none" } ?? false
        if isForeign || origin != nil && origin != request.headers[.host].map(Self.authority(ofOrigin:)) {
            throw .forbidden(details: Phrase("a page of another site may not use a session of this one"))
        }
    }

    private func refuseForeign(_ request: Request) throws(Problem) {
        // A request that a proxy forwards may come from anywhere.
        for header in [.xForwardedFor, .xForwardedHost, .forwarded, .via] as [HeaderName] where request.headers[header] != nil {
            throw .forbidden(
                details: Phrase(
                    "a proxy forwarded this request (\(header.rawValue)); create a token to use the service through a proxy"))
        }
        if let site = request.headers[.secFetchSite], site != "none", site != "same-origin" {
            throw .forbidden(details: .pageOfOtherSite)
        }
        if let referrer = request.headers[.referer],
            !hosts.contains(Self.hostName(ofURL: referrer))
        {
            throw .forbidden(details: .pageOfOtherSite)
        }
        if let host = request.headers[.host], !hosts.contains(Self.hostName(of: host)) {
            throw .forbidden(
                details: Phrase(
                    "without a token, the service does not accept the host name '\(host)'; create a token to use other names"))
        }
        if let origin = request.headers[.origin], origin != "null" {
            guard hosts.contains(Self.hostName(ofURL: origin)) else {
                throw .forbidden(details: Phrase("a page of '\(origin)' may not use this service without a token"))
            }
        } else if request.headers[.origin] != nil {
            throw .forbidden(details: Phrase("a page without an origin may not use this service without a token"))
        }
    }

    /// The credentials of a request: the token of Bearer (RFC 6750), the password of Basic (RFC 7617), or, on routes for apps that can send
    /// neither, a field of the query, which is a stream token on routes of streams.
    private static func credentials(
        _ request: Request, _ route: Route<API>
    ) throws(Problem) -> (secret: String, user: String?, isStreamToken: Bool)? {
        guard let header = request.headers[.authorization] else {
            if route.takesStreamToken, let token = request.target[Target.streamTokenField] { return (token, nil, true) }
            return route.takesTokenField ? request.target[Target.tokenField].map { ($0, nil, false) } : nil
        }
        let parts = header.split(separator: " ", maxSplits: 1)
        switch parts.first?.lowercased() {
        case "bearer" where parts.count == 2: return (String(parts[1]), nil, false)
        case "basic" where parts.count == 2:
            guard let pair = basicPair(parts[1]) else {
                throw .unauthorized(details: Phrase("the Basic credentials cannot be read"))
            }
            return (pair.password, pair.user, false)
        default: throw .unauthorized(details: Phrase("the Authorization header has to begin with Bearer or Basic"))
        }
    }

    /// Whether a request contains a token, valid or not.
    static func containsToken(_ request: Request, route: Route<API>) -> Bool {
        request.headers[.authorization] != nil || route.takesTokenField && request.target[Target.tokenField] != nil
    }

    /// The user in a request's Basic credentials; nil when there are none or they cannot be parsed.
    static func user(of request: Request) -> String? {
        guard let parts = request.headers[.authorization]?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "basic"
        else { return nil }
        return basicPair(parts[1])?.user
    }

    /// The user and the password in Basic credentials (RFC 7617); nil when they cannot be parsed.
    private static func basicPair(_ text: Substring) -> (user: String, password: String)? {
        guard let data = Data(base64Encoded: String(text)) else { return nil }
        let pair = String(headerValue: data)
        guard let colon = pair.firstIndex(of: ":") else { return nil }
        return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }

    /// The host of a URL or an origin, in lowercase.
    private static func hostName(ofURL url: String) -> String { hostName(of: authority(ofURL: url)) }

    /// The host and the port of a URL, or of text without a scheme (RFC 3986, 3.2).
    private static func authority(ofURL text: String) -> String {
        let end: (Character) -> Bool = { "/?#\\".contains($0) }
        let scheme = text.prefix { $0 != ":" && !end($0) }
        let afterScheme = text[scheme.endIndex...]
        let authority = (afterScheme.hasPrefix("://") ? afterScheme.dropFirst(3) : text[...]).prefix { !end($0) }
        return String(authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
    }

    /// The host and the port of an origin or a `Host` header, in lowercase, without the port of HTTP or HTTPS.
    private static func authority(ofOrigin text: String) -> String {
        let authority = authority(ofURL: text).lowercased()
        for port in [":80", ":443"] where authority.hasSuffix(port) { return String(authority.dropLast(port.count)) }
        return authority
    }

    /// The host of `host:port`, in lowercase.
    static func hostName(of host: String) -> String {
        if host.hasPrefix("[") { return host.prefix { $0 != "]" }.dropFirst().lowercased() }
        return host.prefix { $0 != ":" && $0 != "/" }.lowercased()
    }
}
