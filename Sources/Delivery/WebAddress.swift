import Model

/// Parses and validates URLs, and masks secrets in them.
package enum WebAddress {
    /// The text that is shown instead of a secret.
    package static let mask = "(hidden)"

    /// The components of a URL (RFC 3986, section 3), as written.
    struct Parts {
        var scheme: Substring
        /// User name and password before the `@`; nil when there are none.
        var credentials: Substring?
        var hostAndPort: Substring
        /// From the first slash up to the query.
        var path: Substring
        /// The query without the question mark.
        var query: Substring?

        init?(_ url: String) {
            guard let mark = url.firstRange(of: "://") else { return nil }
            scheme = url[..<mark.lowerBound]
            let rest = url[mark.upperBound...].prefix { $0 != "#" }
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            if let at = authority.lastIndex(of: "@") {
                credentials = authority[..<at]
                hostAndPort = authority[authority.index(after: at)...]
            } else {
                hostAndPort = authority
            }
            let target = rest[authority.endIndex...]
            path = target.prefix { $0 != "?" }
            query = path.endIndex < target.endIndex ? target[target.index(after: path.endIndex)...] : nil
        }

        /// The host name or IP address in lower case, without port and brackets.
        var hostName: String {
            if hostAndPort.hasPrefix("[") { return hostAndPort.dropFirst().prefix { $0 != "]" }.lowercased() }
            return hostAndPort.prefix { $0 != ":" }.lowercased()
        }
    }

    /// What is wrong with a URL; nil when it is valid. The problem contains no secrets.
    package static func flaw(_ url: String, schemes: [String] = ["http", "https"], field: String = "url") -> Problem? {
        let expected = Phrase(
            "\(choice: schemes.map { $0 + "://" }) and a host, for example \("\(schemes.last ?? "")://example.com/path")")
        guard let parts = Parts(url) else {
            return .validationFailed(field: field, value: masked(url), reason: Phrase("it has no scheme"), expected: expected)
        }
        if !schemes.contains(parts.scheme.lowercased()) {
            return .validationFailed(
                field: field, value: masked(url), reason: Phrase("its scheme is '\(String(parts.scheme.prefix(20)))'"),
                expected: expected)
        }
        if parts.hostName.isEmpty {
            return .validationFailed(field: field, value: masked(url), reason: .noHost, expected: expected)
        }
        if url.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) {
            return .validationFailed(
                field: field, value: masked(url), reason: .mustBeEscaped, expected: .escapedURL)
        }
        return nil
    }

    /// A URL for display. The mask replaces the password (or a user name without a password), the values in the query, and path segments
    /// that look like secrets. The fragment is left out.
    ///
    /// - Parameter hidesPath: Whether the whole path is secret.
    package static func masked(_ url: String, hidesPath: Bool = false) -> String {
        guard let parts = Parts(url) else {
            // Without a scheme the parts are unknown, so only the text before any possible secret is shown.
            return url.contains("@") ? mask : String(url.prefix { !"?#".contains($0) }.prefix(60))
        }
        var text = "\(parts.scheme)://"
        if let credentials = parts.credentials {
            text += credentials.contains(":") ? "\(credentials.prefix { $0 != ":" }):\(mask)@" : "\(mask)@"
        }
        text += parts.hostAndPort
        if hidesPath, parts.path.count > 1 {
            text += "/" + mask
        } else {
            text += parts.path.split(separator: "/", omittingEmptySubsequences: false)
                .map { isLikelySecret($0) ? mask : String($0) }.joined(separator: "/")
        }
        if let query = parts.query {
            text +=
                "?"
                + query.split(separator: "&").map { field in
                    field.contains("=") ? "\(field.prefix { $0 != "=" })=\(mask)" : mask
                }.joined(separator: "&")
        }
        return text
    }

    /// The parts of a URL that `masked(_:hidesPath:)` hides, without a path that is secret as a whole.
    static func secrets(of url: String) -> [String] {
        guard let parts = Parts(url) else { return [] }
        let password = parts.credentials.map { $0.contains(":") ? $0.drop { $0 != ":" }.dropFirst() : $0 }
        let values = parts.query?.split(separator: "&").map { $0.contains("=") ? $0.drop { $0 != "=" }.dropFirst() : $0 } ?? []
        return (parts.path.split(separator: "/").filter(isLikelySecret) + values + [password].compactMap { $0 }).map(String.init)
    }

    /// Scheme, host and port.
    package static func peer(_ url: String) -> String {
        guard let parts = Parts(url) else { return masked(url) }
        return "\(parts.scheme)://\(parts.hostAndPort)"
    }

    /// The path with its leading slash; empty when there is none.
    package static func path(of url: String) -> String { Parts(url).map { String($0.path) } ?? "" }

    /// The host name or IP address in lower case, without port and brackets.
    package static func host(of url: String) -> String { Parts(url)?.hostName ?? "" }

    /// Whether a path segment is long and random enough to be a key: at least 16 characters with digits and letters.
    private static func isLikelySecret(_ part: Substring) -> Bool {
        part.utf8.count >= 16 && part.contains(where: \.isNumber) && part.contains(where: \.isLetter)
    }
}
