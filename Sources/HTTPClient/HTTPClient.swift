import CCurl
import Foundation

/// A blocking HTTP client based on libcurl's easy interface (https://curl.se/libcurl/c/libcurl-easy.html).
///
/// All requests use one handle, so that connections stay open between requests. An instance must be used by one thread at a time. Redirects
/// are not followed.
@safe package final class HTTPClient {
    package struct Options: Sendable {
        /// The timeout for establishing a connection, in seconds.
        package var connectTimeout = 5.0
        /// The timeout for a whole request including its connection, in seconds.
        package var timeout = 60.0
        /// The path of a PEM file of certificates to trust instead of the system's.
        package var authorities: String?
        /// Whether the peer's certificate must match the host name of the URL. This can be turned off if `authorities` is the certificate
        /// of the peer itself and the peer is addressed by its IP address.
        package var verifiesName = true
        /// The maximum size of a response body, in bytes.
        package var maximumBody = 64 << 20
        /// Whether proxies from the environment (`http_proxy`, `no_proxy` …) are used.
        package var usesProxies = true
        /// Whether a peer that has never answered is tried with the other scheme (`http` or `https`), so that a problem can name
        /// the right scheme.
        package var detectsScheme = true

        package init() {}
    }

    package let options: Options
    private let handle: UnsafeMutableRawPointer
    /// Whether any request has received a response, regardless of its status.
    private var hasAnswered = false

    /// - Throws: `cannotStart` if libcurl cannot start, because of a lack of memory.
    package init(_ options: Options = Options()) throws(HTTPClientError) {
        self.options = options
        guard HTTPClient.isReady, let made = unsafe curl_easy_init() else {
            throw .cannotStart
        }
        unsafe handle = made
    }

    /// Initializes libcurl, which must be done once per process, before its first use.
    package static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The path of a file with the system's certificates, where it is not that of Debian. OpenSSL, which MQTT uses, reads the same variable.
    package static let systemAuthorities = ProcessInfo.processInfo.environment["SSL_CERT_FILE"]

    deinit { unsafe curl_easy_cleanup(handle) }

    /// Sends a request and waits for the whole response, regardless of its status.
    package func send(_ request: HTTPRequest) throws(HTTPClientError) -> HTTPResponse {
        let limit = options.maximumBody
        let transfer = HTTPTransfer { transfer, bytes in transfer.append(bytes, limit: limit) }
        let outcome = try perform(request, transfer)
        if outcome == CURLE_WRITE_ERROR {
            throw .answerTooLarge(peer: request.peer, limit: limit)
        }
        return transfer.response
    }

    /// Sends a request, and passes the body of a successful response on while it arrives, regardless of its size.
    ///
    /// - Parameter receive: Receives the next bytes of the body. Returning false ends the transfer.
    /// - Returns: The response; its body is empty if the status is from 200 to 299. Nil if `receive` has ended the transfer.
    /// - Throws: Also if the connection ends before the body does.
    package func download(
        _ request: HTTPRequest, receive: @escaping ([UInt8]) -> Bool
    ) throws(HTTPClientError) -> HTTPResponse? {
        let limit = options.maximumBody
        let transfer = HTTPTransfer { transfer, bytes in
            transfer.head.isSuccess ? receive(bytes) : transfer.append(bytes, limit: limit)
        }
        let outcome = try perform(request, transfer)
        if outcome == CURLE_WRITE_ERROR {
            if transfer.head.isSuccess { return nil }
            throw .answerTooLarge(peer: request.peer, limit: limit)
        }
        return transfer.response
    }

    // MARK: - libcurl

    /// Performs one transfer.
    ///
    /// - Returns: `CURLE_OK`, or `CURLE_WRITE_ERROR` if the transfer's `write` has returned false. Other results are thrown as errors.
    private func perform(_ request: HTTPRequest, _ transfer: HTTPTransfer) throws(HTTPClientError) -> CURLcode {
        if let flaw = request.sendingProblem { throw flaw }
        // The reset clears the options of the last request. Connections and TLS sessions are kept.
        unsafe curl_easy_reset(handle)
        var headers: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl_slist_free_all(headers) }
        for line in HTTPClient.headerLines(request) { unsafe headers = curl_slist_append(headers, line) }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        // A peer whose machine has failed is noticed within two minutes, however long the response may take.
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 30)
        set(CURLOPT_TCP_KEEPINTVL, 10)
        set(CURLOPT_CONNECTTIMEOUT_MS, HTTPClient.milliseconds(options.connectTimeout))
        set(CURLOPT_TIMEOUT_MS, HTTPClient.milliseconds(options.timeout))
        _ = unsafe picket_curl_allow_only_http(handle)
        set(CURLOPT_URL, request.url)
        // Paths contain names, and a name may be "..", which libcurl would remove.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_CUSTOMREQUEST, request.method)
        if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
        if let authorities = options.authorities ?? HTTPClient.systemAuthorities { set(CURLOPT_CAINFO, authorities) }
        if !options.verifiesName { set(CURLOPT_SSL_VERIFYHOST, 0) }
        if !options.usesProxies { set(CURLOPT_PROXY, "") }
        _ = unsafe picket_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)

        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        _ = unsafe picket_curl_set_writer(handle, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.receiveBody(unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))) ? count : 0
        }
        _ = unsafe picket_curl_set_writer(handle, CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
            guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
            let transfer = unsafe Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return unsafe transfer.receiveHeaderLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA] {
            _ = unsafe picket_curl_set_pointer(handle, option, context)
        }

        let (outcome, words) = performTransfer(request.body, asksForBody: ["POST", "PUT", "PATCH"].contains(request.method))
        withExtendedLifetime(transfer) {}
        if transfer.head.status > 0 { hasAnswered = true }
        switch outcome {
        case CURLE_WRITE_ERROR where transfer.head.isTooLarge:
            throw .answerTooLarge(peer: request.peer, limit: ResponseHead.maximumSize)
        case CURLE_OK, CURLE_WRITE_ERROR: return outcome
        default:
            if options.detectsScheme, !hasAnswered, SchemeProbe.mayBeSchemeMismatch(outcome, peer: request.peer),
                let other = SchemeProbe.otherAddress(of: request.peer, options)
            {
                throw .schemeMismatch(peer: request.peer, other: other)
            }
            throw HTTPClientError(outcome, words, peer: request.peer)
        }
    }

    /// Performs the transfer with the options that were set. The body stays at a fixed address meanwhile.
    private func performTransfer(_ body: [UInt8], asksForBody: Bool) -> (CURLcode, words: String) {
        var words = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        let outcome = unsafe body.withUnsafeBytes { bytes in
            if asksForBody || !body.isEmpty {
                set(CURLOPT_POSTFIELDSIZE, body.count)
                // An empty array may have no address, for which libcurl would read the body from standard input.
                if let start = bytes.baseAddress, !body.isEmpty {
                    _ = unsafe picket_curl_set_pointer(handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: start))
                } else {
                    set(CURLOPT_COPYPOSTFIELDS, "")
                }
            }
            return unsafe words.withUnsafeMutableBytes { words in
                _ = unsafe picket_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, words.baseAddress)
                defer { _ = unsafe picket_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
                return unsafe curl_easy_perform(handle)
            }
        }
        let text = words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        if !text.isEmpty { return (outcome, String(decoding: text, as: UTF8.self)) }
        return (outcome, unsafe String(cString: curl_easy_strerror(outcome)))
    }

    /// The headers in libcurl's notation (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html): `Name;` is a header without a value, and
    /// `Name:` removes a header that libcurl adds by default.
    package static func headerLines(_ request: HTTPRequest) -> [String] {
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // "Expect: 100-continue" would cost a round trip.
        lines.append("Expect:")
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { lines.append("Content-Type:") }
        return lines
    }

    private func set(_ option: CURLoption, _ value: Int) { _ = unsafe picket_curl_set_long(handle, option, value) }
    private func set(_ option: CURLoption, _ value: String) { _ = unsafe picket_curl_set_text(handle, option, value) }

    private static func milliseconds(_ seconds: Double) -> Int { max(1, Int((min(seconds, 1e6) * 1000).rounded(.up))) }
}
