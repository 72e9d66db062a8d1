import CMicrohttpd
import CStandardLibrary
import Foundation
import Model
import Routing
import Settings
import Synchronization
import Workers

/// An HTTP/1.1 server: libmicrohttpd with its own pool of threads, each with an epoll loop.
///
/// libmicrohttpd's timeout only counts inactivity, so a client that sends a byte now and then could hold a connection forever. Therefore
/// each connection also has a deadline by which its request must be complete.
@safe package final class HTTPDaemon: Sendable {
    package struct Limits: Sendable {
        package internal(set) var connections: Int
        /// Connections of one address. Those of trusted proxies are not limited.
        var connectionsPerAddress: Int
        /// The number of connections beyond the limit that can be accepted before others are closed.
        var spareConnections: Int { min(128, connections / 4 + 4) }
        /// Bytes of a request's head and of a connection's buffers.
        var memory = 65_536
        /// Seconds without any received byte.
        var inactivity: UInt32 = 30
        /// Seconds from the opening of a connection, or from the last answer, to the end of the next head.
        var head = 75.0
        /// Seconds from the head to the end of the body.
        var body = 120.0
        /// The same for a request that is refused, such as one without a token that gives access.
        var refusedBody = 10.0
        var threads = 2
        /// The proxies whose `X-Forwarded-For` is trusted.
        var trustedProxies: [AddressRange]
        /// For the bodies and the answers of requests.
        var budget: MemoryBudget

        package init(
            connections: Int = 12_000, connectionsPerAddress: Int = 12_000, trustedProxies: [AddressRange] = [],
            budget: MemoryBudget = MemoryBudget()
        ) {
            self.connections = connections
            self.connectionsPerAddress = connectionsPerAddress
            self.trustedProxies = trustedProxies
            self.budget = budget
        }

        /// Limits the connections, so that they and the spare ones use at most a number of descriptors, which is at least 8.
        package mutating func fitConnections(in descriptors: Int) {
            if connections + spareConnections <= descriptors { return }
            connections = max(descriptors - 128, (descriptors - 4) * 4 / 5)
        }
    }

    let responder: any Responder
    let limits: Limits
    private let stopping = Stopping()
    /// The number of requests whose heads were received, and that have not ended yet.
    private let active = Atomic<Int>(0)
    private let closing = Atomic<Bool>(false)
    private let connections: OpenConnections
    /// How many more times memory is returned to the system. Each request that took much memory sets it to 2, because the threads that
    /// worked for the request may still free some of it shortly after its end.
    private let memoryReturns = Atomic<Int>(0)
    private let returnMemory: @Sendable () -> Void
    /// The size in bytes of a body or an answer from which on the request counts as taking much memory.
    static let muchMemory = 1 << 20
    /// The monotonic clock in milliseconds.
    private let time: @Sendable () -> Int64
    /// The pointer of libmicrohttpd; 0 before the start and after the end.
    private let daemon = Mutex<UInt>(0)
    /// Nil when no connections are accepted.
    private let acceptor = Mutex<Acceptor?>(nil)

    /// - Parameters:
    ///   - time: The monotonic clock in milliseconds, for the deadlines of connections.
    ///   - returnMemory: Returns free memory to the system. The allocator of the C library keeps it otherwise.
    package init(
        _ limits: Limits, responder: any Responder,
        time: @escaping @Sendable () -> Int64 = HTTPDaemon.milliseconds,
        returnMemory: @escaping @Sendable () -> Void = { _ = malloc_trim(0) }
    ) {
        self.returnMemory = returnMemory
        self.limits = limits
        connections = OpenConnections(limit: limits.connections, limitPerClient: limits.connectionsPerAddress)
        self.responder = responder
        self.time = time
    }

    /// Starts to accept connections.
    ///
    /// - Parameter socket: Must stay open until `stop()` has returned. Several servers may accept its connections.
    /// - Throws: `Problem.tlsFailed` when the certificate or the key cannot be used.
    package func start(_ socket: ListeningSocket, tls: ServerCertificate?) throws(Problem) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        var options = unsafe [MHD_OptionItem]()
        func set(_ option: MHD_OPTION, _ value: Int) {
            unsafe options.append(MHD_OptionItem(option: option, value: value, ptr_value: nil))
        }
        func set(_ option: MHD_OPTION, _ callback: UnsafeRawPointer?, _ context: UnsafeMutableRawPointer?) {
            unsafe options.append(
                MHD_OptionItem(option: option, value: Int(bitPattern: callback), ptr_value: context))
        }
        func set(_ option: MHD_OPTION, text: UnsafePointer<CChar>) {
            unsafe options.append(
                MHD_OptionItem(option: option, value: 0, ptr_value: UnsafeMutableRawPointer(mutating: text)))
        }
        set(.THREAD_POOL_SIZE, limits.threads)
        // A thread of libmicrohttpd that gets a connection beyond its limit keeps a lock (0.9.75, `new_connection_process_`), so the limit
        // is enforced where connections are accepted.
        set(.CONNECTION_LIMIT, Int(Int32.max))
        set(.CONNECTION_MEMORY_LIMIT, limits.memory)
        set(.CONNECTION_TIMEOUT, Int(limits.inactivity))

        let started:
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
                context, uri, connection in
                guard let context = unsafe context, let uri = unsafe uri, let connection = unsafe connection else { return nil }
                let daemon = unsafe Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
                return unsafe Unmanaged.passRetained(Exchange(daemon, HTTPConnection(connection), target: HTTPDaemon.target(uri)))
                    .toOpaque()
            }
        unsafe set(.URI_LOG_CALLBACK, unsafeBitCast(started, to: UnsafeRawPointer.self), context)

        let completed: MHD_RequestCompletedCallback = { _, _, exchange, code in
            guard let pointer = unsafe exchange?.pointee else { return }
            unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().ended(code)
            unsafe exchange?.pointee = nil
        }
        unsafe set(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: UnsafeRawPointer.self), nil)

        let changed: MHD_NotifyConnectionCallback = { context, connection, socketContext, code in
            guard let context = unsafe context, let connection = unsafe connection else { return }
            let daemon = unsafe Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
            unsafe daemon.connectionChanged(connection, socketContext, code)
        }
        unsafe set(.NOTIFY_CONNECTION, unsafeBitCast(changed, to: UnsafeRawPointer.self), context)

        let handler: MHD_AccessHandlerCallback = { _, _, _, method, _, bytes, count, exchange in
            guard let pointer = unsafe exchange?.pointee, let method = unsafe method, let count = unsafe count else { return .NO }
            return unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue().handle(method: method, bytes, count)
        }
        var flags = MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue
        let handle: OpaquePointer?
        if let tls {
            flags |= MHD_USE_TLS.rawValue
            unsafe handle = unsafe tls.key.withCString { key in
                unsafe tls.chain.withCString { certificate in
                    unsafe set(.HTTPS_MEM_KEY, text: key)
                    unsafe set(.HTTPS_MEM_CERT, text: certificate)
                    unsafe set(.HTTPS_PRIORITIES, text: Self.tlsPriorities.asCString)
                    unsafe options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
                    return unsafe picket_mhd_start(flags, handler, context, options)
                }
            }
        } else {
            unsafe options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
            unsafe handle = unsafe picket_mhd_start(flags, handler, context, options)
        }
        guard let made = unsafe handle else {
            if tls != nil {
                throw .tlsFailed(
                    peer: "\(socket.host):\(socket.port)", details: Phrase("the certificate or its key cannot be used"))
            }
            throw Self.startFailed(errno)
        }
        let pointer = UInt(bitPattern: made)
        daemon.withLock { $0 = pointer }
        // A few more are accepted, so that idle ones can be closed for new ones.
        let maximum = limits.connections + limits.spareConnections
        let hasRoom = { @Sendable [connections] in connections.count < maximum }
        let accepting = unsafe Acceptor(socket, hasRoom: hasRoom) { [connections] descriptor, peer, length in
            connections.accepted()
            // Closes the descriptor if it fails.
            let isAdded = unsafe MHD_add_connection(OpaquePointer(bitPattern: pointer), descriptor, peer, length)
            if isAdded != .YES { connections.closed() }
        }
        guard let accepting else {
            let failure = errno
            stop()
            throw Self.startFailed(failure)
        }
        acceptor.withLock { $0 = accepting }
        _ = WorkThreads("picket sweep") { [stopping, self] in
            while !stopping.wait(seconds: 1) {
                closeOverdueConnections()
                if mustReturnMemory {
                    memoryReturns.subtract(1, ordering: .relaxed)
                    returnMemory()
                }
            }
        }
    }

    private static func startFailed(_ error: Int32) -> Problem {
        .unknown(details: .saying(Phrase("the HTTP server could not be started"), unsafe String(cString: strerror(error))))
    }

    /// The target of a request. If it is not UTF-8, which is invalid (RFC 3986, 2), its non-ASCII bytes are percent-encoded.
    private static func target(_ uri: UnsafePointer<CChar>) -> String {
        if let text = unsafe String(validatingCString: uri) { return text }
        return unsafe PercentEncoding.showing(UnsafeRawBufferPointer(start: uri, count: strlen(uri)))
    }

    /// TLS 1.2 at least, because RFC 8996 deprecates the earlier versions (https://gnutls.org/manual/html_node/Priority-Strings.html).
    private static let tlsPriorities: StaticString = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"

    /// The names and versions of the linked libraries that only this module uses.
    package static var libraryVersions: [(name: String, version: String)] {
        [
            ("libmicrohttpd", unsafe String(cString: MHD_get_version())),
            ("gnutls", ServerCertificate.libraryVersion),
        ]
    }

    /// Whether connections end with their next answer, and new requests are refused.
    var isClosing: Bool { closing.load(ordering: .relaxed) }

    /// Accepts no new connections. Open connections end with their next answer.
    package func close() {
        closing.store(true, ordering: .relaxed)
        acceptor.withLock { $0.take() }?.stop()
    }

    /// Waits until no request is in progress, or until the time is over. Returns whether none is in progress.
    @discardableResult
    package func drain(seconds: Double) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while active.load(ordering: .relaxed) > 0, ContinuousClock.now < end { usleep(5_000) }
        return active.load(ordering: .relaxed) <= 0
    }

    /// Stops the server. No request may be suspended.
    package func stop() {
        close()
        stopping.stop()
        let handle = daemon.withLock { daemon in
            defer { daemon = 0 }
            return daemon
        }
        if let handle = unsafe OpaquePointer(bitPattern: handle) { unsafe MHD_stop_daemon(handle) }
    }

    // MARK: - Deadlines

    @Sendable package static func milliseconds() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private func connectionChanged(
        _ connection: OpaquePointer, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ code: MHD_ConnectionNotificationCode
    ) {
        let id = UInt(bitPattern: connection)
        if code == .CONNECTION_NOTIFY_STARTED {
            guard let info = unsafe picket_mhd_info(connection, .CONNECTION_INFO_CONNECTION_FD) else { return }
            let entry = unsafe connections.add(
                id, descriptor: info.pointee.connect_fd, client: limitedClient(of: HTTPConnection(connection)),
                at: time(), deadline: time() + Int64(limits.head * 1000))
            unsafe context?.pointee = Unmanaged.passUnretained(entry).toOpaque()
            responder.connectionsChanged(by: 1)
        } else if connections.remove(id) {
            responder.connectionsChanged(by: -1)
        }
    }

    /// The address of a connection's peer; nil for a trusted proxy, through which many clients connect.
    private func limitedClient(of connection: HTTPConnection) -> ClientAddress? {
        let peer = connection.peer
        if !limits.trustedProxies.isEmpty, limits.trustedProxies.contains(address: peer.text) { return nil }
        return ClientAddress(peer)
    }

    /// - Parameter seconds: Until the request must be complete; nil for no limit.
    private func setDeadline(_ connection: HTTPConnection, _ seconds: Double?, isIdle: Bool = false) {
        guard let info = unsafe picket_mhd_info(connection.pointer, .CONNECTION_INFO_SOCKET_CONTEXT),
            let pointer = unsafe info.pointee.socket_context
        else { return }
        let end = seconds.map { time() + Int64($0 * 1000) } ?? 0
        let entry = unsafe Unmanaged<OpenConnections.Entry>.fromOpaque(pointer).takeUnretainedValue()
        entry.deadline.store(end, ordering: .relaxed)
        entry.since.store(time(), ordering: .relaxed)
        entry.isIdle.store(isIdle, ordering: .relaxed)
    }

    /// Called when the head of a request has been received: sets the deadline of the body.
    func headReceived(_ connection: HTTPConnection, isRefused: Bool) {
        active.add(1, ordering: .relaxed)
        setDeadline(connection, isRefused ? min(limits.refusedBody, limits.body) : limits.body)
    }

    /// Called when a request has been received completely: removes the deadline, because the answer's duration depends on the service.
    func requestReceived(_ connection: HTTPConnection) { setDeadline(connection, nil) }

    /// Called when a request has ended: sets the deadline of the next head.
    ///
    /// - Parameter hasBegun: Whether the head had been received.
    func requestEnded(_ connection: HTTPConnection, hasBegun: Bool) {
        if hasBegun { active.subtract(1, ordering: .relaxed) }
        setDeadline(connection, limits.head, isIdle: true)
    }

    /// Records that a request that took much memory has ended.
    func memoryFreed() { memoryReturns.store(2, ordering: .relaxed) }

    /// Whether memory is to be returned to the system.
    var mustReturnMemory: Bool { memoryReturns.load(ordering: .relaxed) > 0 }

    /// Shuts down connections whose deadline has passed.
    func closeOverdueConnections() { connections.closeOverdue(at: time()) }
}

extension StaticString {
    /// The text with a zero at its end. It exists for as long as the program.
    fileprivate var asCString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
