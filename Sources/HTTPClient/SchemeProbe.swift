import CCurl

/// Tests whether a peer that gave no response uses the other scheme (`http` or `https`). The failure of a request alone does not
/// show this.
enum SchemeProbe {
    /// Whether a wrong scheme can cause the failure.
    static func mayBeSchemeMismatch(_ outcome: CURLcode, peer: String) -> Bool {
        peer.hasPrefix("https:")
            ? outcome == CURLE_SSL_CONNECT_ERROR
                // A TLS server closes the connection or sends an alert, which looks like a response without a head.
            : [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY].contains(outcome)
    }

    /// The peer's address with the other scheme, if the peer responds to it. No token or other part of the request is sent.
    ///
    /// - Parameter peer: The value of `HTTPRequest.peer`.
    static func otherAddress(of peer: String, _ options: HTTPClient.Options) -> String? {
        guard let end = peer.firstRange(of: "://") else { return nil }
        let isSafe = peer.hasPrefix("https:")
        let authority = peer[end.upperBound...]
        // An IPv6 address is in brackets, as in `[::1]:8080`.
        let hasPort = authority.hasPrefix("[") ? !authority.hasSuffix("]") : authority.contains(":")
        let other = "\(isSafe ? "http" : "https")://\(authority)\(hasPort ? "" : isSafe ? ":443" : ":80")"
        return (isSafe ? answersHTTP(other, options) : completesTLSHandshake(other, options)) ? other : nil
    }

    private static func answersHTTP(_ url: String, _ options: HTTPClient.Options) -> Bool {
        var options = options
        options.timeout = options.connectTimeout
        options.detectsScheme = false
        do throws(HTTPClientError) {
            return try HTTPClient(options).send(HTTPRequest("HEAD", url)).status > 0
        } catch {
            return false
        }
    }

    /// Whether a TLS handshake succeeds. The certificate is not verified, because nothing is sent.
    private static func completesTLSHandshake(_ url: String, _ options: HTTPClient.Options) -> Bool {
        guard let handle = unsafe curl_easy_init() else { return false }
        defer { unsafe curl_easy_cleanup(handle) }
        _ = unsafe picket_curl_set_text(handle, CURLOPT_URL, url)
        for (option, value) in [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECT_ONLY, 1), (CURLOPT_SSL_VERIFYPEER, 0), (CURLOPT_SSL_VERIFYHOST, 0),
            (CURLOPT_TIMEOUT_MS, Int(options.connectTimeout * 1000)),
        ] {
            _ = unsafe picket_curl_set_long(handle, option, value)
        }
        if !options.usesProxies { _ = unsafe picket_curl_set_text(handle, CURLOPT_PROXY, "") }
        return unsafe curl_easy_perform(handle) == CURLE_OK
    }
}
