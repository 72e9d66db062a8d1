import CCurl

/// The reason why a request received no response. `peer` is the value of `HTTPRequest.peer`.
package enum HTTPClientError: Error, Hashable, Sendable {
    /// The peer cannot be reached, or the connection was lost.
    case cannotConnect(peer: String, details: String)
    /// The peer did not respond in time.
    case timedOut(peer: String, details: String)
    case tlsFailed(peer: String, details: String)
    /// The peer responds to the other scheme (`http` or `https`); `other` is its address with that scheme.
    case schemeMismatch(peer: String, other: String)
    /// The peer does not speak HTTP, or a version or status that libcurl does not know.
    case notHTTP(peer: String, details: String)
    /// The head or the body of the response exceeds the limit, in bytes.
    case answerTooLarge(peer: String, limit: Int)
    /// The name or the value of a header contains a line break, which would begin another header.
    case malformedHeader(name: String)
    /// The URL contains a space or a control character.
    case unescapedURL(String)
    /// libcurl rejects the URL: it is malformed, or its scheme is neither `http` nor `https`.
    case unusableURL(peer: String, details: String)
    /// libcurl cannot be initialized.
    case cannotStart
    case other(details: String)
}

extension HTTPClientError {
    /// The error for a result of libcurl (https://curl.se/libcurl/c/libcurl-errors.html).
    ///
    /// - Parameter words: libcurl's message.
    package init(_ outcome: CURLcode, _ words: String, peer: String) {
        // libcurl also reports an answer that is not HTTP, or of an unknown version of HTTP, as an unsupported protocol.
        if ["http", "https"].contains(peer.prefix(while: { $0 != ":" }).lowercased()),
            [CURLE_OK, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL].contains(outcome)
        {
            self = .notHTTP(peer: peer, details: words)
            return
        }
        switch outcome {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_INTERFACE_FAILED:
            self = .cannotConnect(peer: peer, details: words)
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut(peer: peer, details: words)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_USE_SSL_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self = .tlsFailed(peer: peer, details: words)
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            self = .unusableURL(peer: peer, details: words)
        default:
            self = .other(details: "\(words) (libcurl \(outcome.rawValue))")
        }
    }
}
