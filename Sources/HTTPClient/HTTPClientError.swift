import CCurl

/// Why a request was not answered. A peer is as `HTTPRequest.peer` names it.
package enum HTTPClientError: Error, Hashable, Sendable {
    /// The peer cannot be reached, or the connection broke.
    case cannotConnect(peer: String, details: String)
    /// The peer did not answer in time, or went silent.
    case timedOut(peer: String, details: String)
    case tlsFailed(peer: String, details: String)
    /// The peer answers to the other of `http` and `https`, by which it has the address `other`.
    case schemeMismatch(peer: String, other: String)
    /// The body of the answer is longer than the limit, in bytes.
    case answerTooLarge(peer: String, limit: Int)
    /// A header of the request has a line break in its name or value, which would begin another header.
    case malformedHeader(name: String)
    /// The URL has a space or a control character in it.
    case unescapedURL(String)
    /// libcurl cannot ask the URL: it is none, or of a scheme other than `http` and `https`.
    case unusableURL(peer: String, details: String)
    case other(details: String)
}

extension HTTPClientError {
    /// Of an outcome of libcurl's (https://curl.se/libcurl/c/libcurl-errors.html).
    ///
    /// - Parameter words: What libcurl says of it.
    package init(_ outcome: CURLcode, _ words: String, peer: String) {
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
