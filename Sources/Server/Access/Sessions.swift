import Model
import Secrets

/// Sessions of people who have signed in with a token in a browser.
///
/// A session is a cookie that names the token and says when it ends, with a code that only the service can make. Nothing is stored:
/// it survives a restart, and ends with its token.
struct Sessions: Sendable {
    /// What a cookie says.
    struct Session: Hashable {
        var tokenID: String
        var expiresAt: Instant
    }

    /// A session ends so many seconds after its page was last used.
    static let lifetime = 14 * 86_400.0
    private static let cookieName = "picket_session"

    private let secret: String
    private let isSecure: Bool

    /// - Parameters:
    ///   - secret: The store's, for as long as it lives.
    ///   - isSecure: Whether browsers reach the service by TLS alone, so that they may keep the cookie to that.
    init(secret: String, isSecure: Bool) {
        self.secret = secret
        self.isSecure = isSecure
    }

    /// The header `Set-Cookie` that begins or prolongs a session.
    ///
    /// - Parameter tokenEnd: When the token ends; nil: never.
    func cookie(forToken id: String, until tokenEnd: Instant?, at now: Instant) -> (cookie: String, expiresAt: Instant) {
        let expiresAt = min(now + Self.lifetime, tokenEnd ?? .latest)
        let claim = "\(id).\(expiresAt.milliseconds)"
        return (attributes("\(claim).\(code(of: claim))", seconds: max(0, Int(expiresAt - now))), expiresAt)
    }

    /// The header that ends a session.
    var endingCookie: String { attributes("", seconds: 0) }

    private func attributes(_ value: String, seconds: Int) -> String {
        // Strict: not even a link of another site brings it along.
        "\(Self.cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// The session that a request's `Cookie` header shows; nil when it shows none that is good.
    func session(in header: String, at now: Instant) -> Session? {
        for pair in header.split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == Self.cookieName else { continue }
            // The id of a token has no dot.
            let fields = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            guard fields.count == 3, let end = Int64(fields[1]) else { continue }
            let session = Session(tokenID: String(fields[0]), expiresAt: Instant(milliseconds: end))
            let expected = code(of: "\(fields[0]).\(fields[1])")
            if Digest(of: String(fields[2])) == Digest(of: expected), now < session.expiresAt { return session }
        }
        return nil
    }

    private func code(of claim: String) -> String { MessageSignature.hexadecimal(of: "session \(claim)", secret: secret) }
}
