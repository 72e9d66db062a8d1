import CCurl
import HTTPClient
import Model
import Synchronization

/// Runs many transfers at a time on one thread, over connections that are kept open (https://curl.se/libcurl/c/libcurl-multi.html).
///
/// Somebody gives it a thread by calling `run`, which returns after `stop`.
@safe public final class TransferLoop: @unchecked Sendable {
    // Safe: `inbox` is locked, `multi` is never changed, and of libcurl's functions another thread calls `curl_multi_wakeup` alone,
    // which may be called from any thread (curl_multi_wakeup(3)). Everything else belongs to the thread that runs.

    @safe public struct Options: Sendable {
        /// Seconds to wait for a connection, and for a whole transfer.
        public var connectTimeout = 10.0
        public var timeout = 30.0
        /// Seconds and bytes for what follows the head of a good answer. Nobody reads it, but a connection is kept only when it was taken.
        public var tailTimeout = 5.0
        public var maximumBody = 64 << 10
        /// Whether an address may be connected to; nil: every one.
        var mayConnect: (@Sendable (_ address: UnsafePointer<sockaddr>, _ length: UInt32) -> Bool)?
        /// A file of certificates in PEM to trust in place of the system's.
        public var authorities: String?

        let allowsPrivate: Bool

        /// - Parameter allowsPrivate: Whether addresses of this machine and of private networks may be connected to.
        public init(allowsPrivate: Bool = true) {
            self.allowsPrivate = allowsPrivate
            if !allowsPrivate { unsafe mayConnect = { unsafe PublicAddress.isPublic($0, $1) } }
        }
    }

    typealias Job = (request: TransferRequest, done: @Sendable (TransferResult) -> Void)

    private struct Inbox {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let options: Options
    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex(Inbox())
    /// By their handles.
    private var active: [UInt: Transfer] = [:]
    private var idle: [UnsafeMutableRawPointer] = unsafe []

    /// Handles that are kept for the next transfers.
    private static let mostIdle = 64

    /// - Throws: `Problem.unknown` when libcurl cannot start, for want of memory.
    public init(_ options: Options = Options()) throws(Problem) {
        self.options = options
        guard HTTPClient.isReady, let made = unsafe curl_multi_init() else { throw .unknown(details: "libcurl cannot start") }
        unsafe multi = made
        _ = unsafe picket_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 256)
    }

    deinit {
        while let handle = unsafe idle.popLast() { unsafe curl_easy_cleanup(handle) }
        _ = unsafe curl_multi_cleanup(multi)
    }

    /// Begins a transfer. `done` is called on the loop's thread, and must be quick.
    public func start(_ request: TransferRequest, _ done: @escaping @Sendable (TransferResult) -> Void) {
        let isTaken = inbox.withLock { inbox in
            if inbox.isStopped { return false }
            inbox.jobs.append((request, done))
            return true
        }
        if isTaken { _ = unsafe curl_multi_wakeup(multi) } else { done(.failed(.cancelled)) }
    }

    /// Ends: what is under way is given up.
    public func stop() {
        inbox.withLock { $0.isStopped = true }
        _ = unsafe curl_multi_wakeup(multi)
    }

    // MARK: - The thread

    /// Runs transfers until somebody stops it.
    public func run() {
        while true {
            let (jobs, isStopped) = inbox.withLock { inbox in
                defer { inbox.jobs.removeAll() }
                return (inbox.jobs, inbox.isStopped)
            }
            if isStopped {
                for job in jobs { job.done(.failed(.cancelled)) }
                return giveUp()
            }
            for job in jobs { begin(job) }
            var running: Int32 = 0
            _ = unsafe curl_multi_perform(multi, &running)
            readMessages()
            endTails()
            _ = unsafe curl_multi_poll(multi, nil, 0, 1000, nil)
        }
    }

    private func begin(_ job: Job) {
        guard let handle = unsafe idle.popLast() ?? curl_easy_init() else {
            return job.done(.failed(.unknown(details: "libcurl cannot start")))
        }
        let transfer = unsafe Transfer(job.request, job.done, handle, options: options)
        transfer.configure()
        let code = unsafe curl_multi_add_handle(multi, handle)
        guard code == CURLM_OK else {
            unsafe curl_easy_cleanup(handle)
            return job.done(.failed(.unknown(details: unsafe String(cString: curl_multi_strerror(code)))))
        }
        active[UInt(bitPattern: handle)] = transfer
    }

    private func readMessages() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else { continue }
            unsafe finish(handle, picket_curl_result(message))
        }
    }

    private func finish(_ handle: UnsafeMutableRawPointer, _ outcome: CURLcode) {
        guard let transfer = active.removeValue(forKey: UInt(bitPattern: handle)) else { return }
        let result = transfer.result(outcome)
        _ = unsafe curl_multi_remove_handle(multi, handle)
        if unsafe idle.count < Self.mostIdle {
            unsafe curl_easy_reset(handle)
            unsafe idle.append(handle)
        } else {
            unsafe curl_easy_cleanup(handle)
        }
        transfer.done(result)
    }

    /// Ends transfers whose answer is known and whose body does not come to an end.
    private func endTails() {
        let now = ContinuousClock.now
        for transfer in active.values {
            if let headAt = transfer.headAt, now - headAt > .seconds(options.tailTimeout) {
                unsafe finish(transfer.handle, CURLE_OK)
            }
        }
    }

    private func giveUp() {
        for transfer in active.values {
            _ = unsafe curl_multi_remove_handle(multi, transfer.handle)
            unsafe curl_easy_cleanup(transfer.handle)
            transfer.done(.failed(.cancelled))
        }
        active.removeAll()
    }
}
