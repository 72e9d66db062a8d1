import CCurl
import Delivery
import HTTPClient
import Model

/// A running transfer: the context of libcurl's callbacks, and the data received so far. It belongs to the loop's thread.
@safe final class Transfer {
    private let request: TransferRequest
    let done: @Sendable (TransferResult) -> Void
    /// The libcurl easy handle, owned by the loop.
    let handle: UnsafeMutableRawPointer
    private let options: TransferLoop.Options

    private let sockets: OpenSockets
    private var head = ResponseHead()
    private var body: [UInt8] = []
    /// When the headers of the final response were complete.
    private(set) var headAt: ContinuousClock.Instant?
    private var bodyBytes = 0
    /// For mail, the number of bytes sent.
    private var sent = 0
    private let text: [UInt8]
    /// Whether the connection was refused because of its address.
    private var isRefused = false
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The addresses of the host in libcurl's notation; nil if libcurl resolves the name itself.
    private var resolved: UnsafeMutablePointer<curl_slist>?
    /// The buffer for libcurl's error text.
    private let errorBuffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The maximum number of body bytes to keep, for error messages.
    private static let keptBody = 600
    /// The maximum size of the address of a redirection in bytes. A longer one is not followed.
    private static let longestRedirect = 8192

    /// Bytes per second of a slow connection, for which the time limit of a mail is extended.
    private static let slowestUpload = 20_000.0

    /// - Parameter host: The resolved host of the request; nil if libcurl resolves it.
    init(
        _ request: TransferRequest, completion done: @escaping @Sendable (TransferResult) -> Void,
        handle: UnsafeMutableRawPointer, options: TransferLoop.Options, sockets: OpenSockets, host: ResolvedHost?
    ) {
        unsafe self.handle = handle
        self.sockets = sockets
        self.request = request
        self.done = done
        self.options = options
        unsafe errorBuffer.initialize(repeating: 0)
        if case .mail(let mail) = request { text = Array(mail.text.utf8) } else { text = [] }
        if let host { unsafe resolved = curl_slist_append(nil, host.description) }
    }

    deinit {
        unsafe curl_slist_free_all(headers)
        unsafe curl_slist_free_all(resolved)
        unsafe errorBuffer.deallocate()
    }

    // MARK: - Setup

    func configure() {
        func set(_ option: CURLoption, _ value: Int) { _ = unsafe picket_curl_set_long(handle, option, value) }
        func set(_ option: CURLoption, _ value: String) { _ = unsafe picket_curl_set_text(handle, option, value) }
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(options.connectTimeout * 1000))
        set(CURLOPT_TIMEOUT_MS, Int((options.timeout + Double(text.count) / Self.slowestUpload) * 1000))
        set(CURLOPT_URL, request.url)
        _ = unsafe picket_curl_set_pointer(handle, CURLOPT_RESOLVE, resolved)
        _ = unsafe picket_curl_set_quick_exit(handle)
        if let authorities = options.authorities ?? HTTPClient.systemAuthorities { set(CURLOPT_CAINFO, authorities) }
        // A proxy would bypass the check of addresses.
        if unsafe options.mayConnect != nil { set(CURLOPT_PROXY, "") }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_OPENSOCKETDATA] {
            _ = unsafe picket_curl_set_pointer(handle, option, context)
        }
        _ = unsafe picket_curl_set_opener(handle, openSocket)
        _ = unsafe picket_curl_set_writer(handle, CURLOPT_WRITEFUNCTION, writeBody)
        _ = unsafe picket_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer.baseAddress)
        switch request {
        case .web(let request):
            _ = unsafe picket_curl_allow_only_http(handle)
            // CURLOPT_ACCEPT_ENCODING is not set, so that libcurl never decompresses an answer. `maximumBody` limits the bytes as they arrive.
            _ = unsafe picket_curl_set_writer(handle, CURLOPT_HEADERFUNCTION, writeHeader)
            for line in HTTPClient.headerLines(request) { unsafe headers = curl_slist_append(headers, line) }
            _ = unsafe picket_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
            set(CURLOPT_USERAGENT, "Picket")
            set(CURLOPT_PATH_AS_IS, 1)
            set(CURLOPT_CUSTOMREQUEST, request.method)
            if request.method != "GET" {
                set(CURLOPT_POSTFIELDSIZE, request.body.count)
                _ = unsafe request.body.withUnsafeBytes { bytes in
                    // libcurl copies the body. An empty array may have no address, and with a null pointer libcurl would read from standard
                    // input.
                    guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
                        return unsafe picket_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, "")
                    }
                    return unsafe picket_curl_set_pointer(
                        handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
                }
            }
        case .mail(let mail):
            let target = mail.target
            _ = unsafe picket_curl_allow_only_mail(handle)
            set(CURLOPT_MAIL_FROM, "<\(target.from ?? "")>")
            for recipient in target.to { unsafe headers = curl_slist_append(headers, "<\(recipient)>") }
            _ = unsafe picket_curl_set_pointer(handle, CURLOPT_MAIL_RCPT, headers)
            set(CURLOPT_USE_SSL, Int((target.allowPlain ? CURLUSESSL_TRY : CURLUSESSL_ALL).rawValue))
            if let user = target.user { set(CURLOPT_USERNAME, user) }
            if let password = target.password { set(CURLOPT_PASSWORD, password) }
            set(CURLOPT_UPLOAD, 1)
            // Also limits how long libcurl waits for the answer to QUIT.
            set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(options.timeout)))
            _ = unsafe picket_curl_set_writer(handle, CURLOPT_READFUNCTION, readText)
        }
    }

    // MARK: - libcurl callbacks

    /// Opens a socket, if its address is allowed.
    fileprivate func openAllowedSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if let mayConnect = unsafe options.mayConnect {
            // The address length follows from its family; libcurl's storage fits the longest.
            let isAllowed = unsafe withUnsafePointer(to: &address.pointee.addr) { unsafe mayConnect($0, address.pointee.addrlen) }
            guard isAllowed else {
                isRefused = true
                return -1
            }
        }
        let socket = unsafe picket_curl_open_socket(address)
        if socket >= 0 { sockets.add(socket) }
        return socket
    }

    /// Receives a part of the body. False when the body is too long, which ends the transfer.
    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bodyBytes += bytes.count
        if body.count < Self.keptBody { unsafe body.append(contentsOf: bytes.prefix(Self.keptBody - body.count)) }
        return bodyBytes <= options.maximumBody
    }

    /// Receives a line of the head. False when the head is too large, which ends the transfer.
    fileprivate func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard unsafe head.receive(bytes) else { return false }
        headAt = head.isComplete ? headAt ?? .now : nil
        return true
    }

    /// Copies the next part of the mail into libcurl's buffer, and returns its size in bytes.
    fileprivate func readMail(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(bytes.count, text.count - sent)
        unsafe text.withUnsafeBytes { text in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[sent..<sent + count]))
        }
        sent += count
        return count
    }

    // MARK: - Result

    /// The result of the finished transfer.
    ///
    /// A received head is the answer, even if the body was cut off, endless or too slow.
    func result(_ outcome: CURLcode) -> TransferResult {
        switch request {
        case .web:
            if head.isComplete {
                let redirect = (300...399).contains(head.status) ? text(CURLINFO_REDIRECT_URL) : nil
                return TransferResult(
                    response: HTTPResponse(status: head.status, headers: head.headers, body: body),
                    redirect: redirect.flatMap { $0.utf8.count <= Self.longestRedirect ? $0 : nil })
            }
        case .mail:
            if outcome == CURLE_OK { return TransferResult(response: HTTPResponse(status: 250)) }
            var code = 0
            _ = unsafe picket_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &code)
            if code >= 400 { return TransferResult(response: HTTPResponse(status: code, body: Array(errorText(outcome).utf8))) }
        }
        if isRefused {
            return .failed(
                .validationFailed(field: "url", value: request.peer, reason: .privateAddress, expected: .publicAddress))
        }
        if head.isTooLarge { return .failed(.tooLarge(what: .answer(request.peer), limit: .bytes(ResponseHead.maximumSize))) }
        return .failed(Problem(HTTPClientError(outcome, errorText(outcome), peer: request.peer)))
    }

    private func errorText(_ outcome: CURLcode) -> String {
        let text = unsafe errorBuffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return text.isEmpty ? unsafe String(cString: curl_easy_strerror(outcome)) : String(decoding: text, as: UTF8.self)
    }

    private func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        _ = unsafe picket_curl_get_text(handle, info, &value)
        return unsafe value.map { unsafe String(cString: $0) }
    }
}

/// The transfer from a callback's context pointer.
private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
    unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address else { return -1 }
    return unsafe transfer(context).openAllowedSocket(address)
}

private func writeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    return unsafe transfer(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private func writeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    return unsafe transfer(context).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

private func readText(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    return unsafe transfer(context).readMail(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}
