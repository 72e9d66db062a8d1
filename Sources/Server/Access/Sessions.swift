import Model
import Secrets

/// Browser sessions of people who have signed in with a token.
///
/// A session is a cookie with the id of the token, the time at which it ends, and a code that only the service can compute. Sessions are
/// not stored: they survive a restart, and end with their token.
struct Sessions: Sendable {
    /// The content of a session cookie.
    struct Session: Hashable {
        var tokenID: String
        var expiresAt: Instant
    }

    /// Seconds from the last use of a page to the end of its session.
    static let lifetime = 14 * 86_400.0

    private let secret: String
    /// Differs among services, because browsers send a cookie to all ports of a host, and services of one host could share its paths.
    private let cookieName: String
    private let isSecure: Bool

    /// - Parameters:
    ///   - secret: A secret that is stored with the store.
    ///   - isSecure: Whether browsers reach the service only by TLS, so that the cookie may be restricted to TLS.
    init(secret: String, isSecure: Bool) {
        self.secret = secret
        self.isSecure = isSecure
        cookieName = "picket_session_" + MessageSignature.hexadecimal(of: "cookie", secret: secret).prefix(8)
    }

    /// The value of the header `Set-Cookie` that begins or prolongs a session.
    ///
    /// - Parameter tokenEnd: When the token expires; nil for never.
    func cookie(forToken id: String, until tokenEnd: Instant?, at now: Instant) -> (cookie: String, expiresAt: Instant) {
        let expiresAt = min(now + Self.lifetime, tokenEnd ?? .latest)
        let claim = "\(id).\(expiresAt.milliseconds)"
        return (attributes("\(claim).\(signature(of: claim))", seconds: max(0, Int(expiresAt - now))), expiresAt)
    }

    /// The value of the header `Set-Cookie` that ends a session.
    var endingCookie: String { attributes("", seconds: 0) }

    private func attributes(_ value: String, seconds: Int) -> String {
        // With SameSite=Strict, browsers send no cookie when a link of another site is followed.
        "\(cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The session in a request's `Cookie` header; nil when there is no valid one.
    func session(in header: String, at now: Instant) -> Session? {
        for pair in header.split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == cookieName else { continue }
            // The id of a token contains no dot.
            let fields = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            guard fields.count == 3, let end = Int64(fields[1]) else { continue }
            let session = Session(tokenID: String(fields[0]), expiresAt: Instant(milliseconds: end))
            let expected = signature(of: "\(fields[0]).\(fields[1])")
            if Digest(of: String(fields[2])) == Digest(of: expected), now < session.expiresAt { return session }
        }
        return nil
    }

    private func signature(of claim: String) -> String { MessageSignature.hexadecimal(of: "session \(claim)", secret: secret) }
}
