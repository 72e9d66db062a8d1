import CCurl
import Foundation
import HTTPClient
import Model
import Synchronization

/// Runs many transfers concurrently on one thread, over connections that are kept open (https://curl.se/libcurl/c/libcurl-multi.html).
///
/// The owner provides the thread by calling `run()`, which returns after `stop()`.
@safe package final class TransferLoop: @unchecked Sendable {
    // `@unchecked Sendable` is safe: `inbox` and `sockets` are locked, `multi` never changes, and other threads call only `curl_multi_wakeup`, which is
    // allowed from any thread (curl_multi_wakeup(3)). Everything else belongs to the thread in `run()`.

    /// Limits and permissions of transfers.
    @safe package struct Options: Sendable {
        /// The timeout for resolving the name of a host, and the one for establishing a connection, in seconds.
        package var connectTimeout = 10.0
        /// Seconds for a whole transfer after the name is resolved.
        package var timeout = 30.0
        /// Seconds to wait for the body after the headers. The body is read only so that the connection can be reused.
        package var bodyTimeout = 5.0
        /// The maximum number of body bytes to read.
        package var maximumBody = 64 << 10
        /// Whether an address may be connected to; nil allows all.
        var mayConnect: (@Sendable (_ address: UnsafePointer<sockaddr>, _ length: UInt32) -> Bool)?
        /// A PEM file of certificate authorities to trust instead of the system's.
        package var authorities: String?

        let allowsPrivate: Bool
        /// Whether libcurl may use a proxy, whose name it has to resolve instead of the host's.
        let mayUseProxy: Bool

        /// - Parameter allowsPrivate: Whether connections to this machine and to private networks are allowed.
        package init(allowsPrivate: Bool = true) {
            self.allowsPrivate = allowsPrivate
            let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "smtp_proxy", "SMTP_PROXY", "all_proxy", "ALL_PROXY"]
            // A proxy would bypass the check of addresses.
            mayUseProxy = allowsPrivate && names.contains { ProcessInfo.processInfo.environment[$0]?.isEmpty == false }
            if !allowsPrivate { unsafe mayConnect = { unsafe PublicAddress.isPublic($0, $1) } }
        }
    }

    typealias Job = (request: TransferRequest, done: @Sendable (TransferResult) -> Void)

    private struct Inbox {
        var jobs: [Job] = []
        /// Names that were resolved, with the number of the waiting transfer.
        var answers: [(number: Int, NameResolver.Answer)] = []
        var isStopped = false
    }

    /// A transfer that waits until its host's name is resolved.
    private struct Waiting {
        var job: Job
        var host: URLHost
        var end: ContinuousClock.Instant
    }

    private let options: Options
    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex(Inbox())
    private let sockets = OpenSockets()
    private let resolver: NameResolver
    private var waiting: [Int: Waiting] = [:]
    private var nextNumber = 0
    /// Running transfers, keyed by handle.
    private var active: [UInt: Transfer] = [:]
    private var idle: [UnsafeMutableRawPointer] = unsafe []

    /// The maximum number of handles to keep for later transfers.
    private static let maxIdle = 64

    /// - Throws: `Problem.unknown` if libcurl cannot be initialized.
    package init(_ options: Options, resolver: NameResolver = NameResolver()) throws(Problem) {
        self.options = options
        self.resolver = resolver
        guard HTTPClient.isReady, let made = unsafe curl_multi_init() else {
            throw .unknown(details: .libraryCannotStart("libcurl"))
        }
        unsafe multi = made
        _ = unsafe picket_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 256)
    }

    deinit {
        while let handle = unsafe idle.popLast() { unsafe curl_easy_cleanup(handle) }
        _ = unsafe curl_multi_cleanup(multi)
    }

    /// Starts a transfer. `done` is called on the loop's thread and must not block.
    package func start(_ request: TransferRequest, _ done: @escaping @Sendable (TransferResult) -> Void) {
        let isTaken = inbox.withLock { inbox in
            if inbox.isStopped { return false }
            inbox.jobs.append((request, done))
            return true
        }
        if isTaken { _ = unsafe curl_multi_wakeup(multi) } else { done(.failed(.cancelled)) }
    }

    /// Stops the loop. Running transfers fail as canceled.
    package func stop() {
        inbox.withLock { $0.isStopped = true }
        sockets.shutAll()
        _ = unsafe curl_multi_wakeup(multi)
    }

    // MARK: - Thread

    /// Runs transfers on the calling thread until `stop()` is called.
    package func run() {
        while true {
            let (jobs, answers, isStopped) = inbox.withLock { inbox in
                defer {
                    inbox.jobs.removeAll()
                    inbox.answers.removeAll()
                }
                return (inbox.jobs, inbox.answers, inbox.isStopped)
            }
            if isStopped {
                for job in jobs { job.done(.failed(.cancelled)) }
                return cancelAll()
            }
            for job in jobs { resolveAndBegin(job) }
            for (number, answer) in answers {
                guard let waiting = waiting.removeValue(forKey: number) else { continue }
                begin(waiting.job, at: waiting.host, answer)
            }
            var running: Int32 = 0
            _ = unsafe curl_multi_perform(multi, &running)
            readMessages()
            endSlowBodies()
            endSlowNames()
            _ = unsafe curl_multi_poll(multi, nil, 0, 1000, nil)
        }
    }

    private func resolveAndBegin(_ job: Job) {
        guard !options.mayUseProxy, let host = URLHost(job.request.url) else { return begin(job, at: nil) }
        let number = nextNumber
        nextNumber += 1
        let known = resolver.resolve(host.name) { [weak self] answer in
            guard let self else { return }
            inbox.withLock { $0.answers.append((number, answer)) }
            _ = unsafe curl_multi_wakeup(multi)
        }
        if let known { return begin(job, at: host, known) }
        waiting[number] = Waiting(job: job, host: host, end: .now + .seconds(options.connectTimeout))
    }

    private func begin(_ job: Job, at host: URLHost, _ answer: NameResolver.Answer) {
        switch answer {
        case .success(let addresses): begin(job, at: ResolvedHost(host: host, addresses: addresses))
        case .failure(let failure):
            let details = failure.details(ofHost: host.name)
            job.done(.failed(.noConnection(peer: job.request.peer, details: .verbatim(details))))
        }
    }

    private func endSlowNames() {
        let now = ContinuousClock.now
        for (number, slow) in waiting where slow.end < now {
            waiting[number] = nil
            let details = Phrase.verbatim(NameResolver.timeoutDetails(options.connectTimeout))
            slow.job.done(.failed(.timeout(peer: slow.job.request.peer, details: details)))
        }
    }

    private func begin(_ job: Job, at host: ResolvedHost?) {
        guard let handle = unsafe idle.popLast() ?? curl_easy_init() else {
            return job.done(.failed(.unknown(details: .libraryCannotStart("libcurl"))))
        }
        let transfer = unsafe Transfer(
            job.request, completion: job.done, handle: handle, options: options, sockets: sockets, host: host)
        transfer.configure()
        let code = unsafe curl_multi_add_handle(multi, handle)
        guard code == CURLM_OK else {
            unsafe curl_easy_cleanup(handle)
            return job.done(.failed(.unknown(details: .verbatim(unsafe String(cString: curl_multi_strerror(code))))))
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
        if unsafe idle.count < Self.maxIdle {
            unsafe curl_easy_reset(handle)
            unsafe idle.append(handle)
        } else {
            unsafe curl_easy_cleanup(handle)
        }
        transfer.done(result)
    }

    /// Ends transfers whose status is known and whose body takes too long.
    private func endSlowBodies() {
        let now = ContinuousClock.now
        for transfer in active.values {
            if let headAt = transfer.headAt, now - headAt > .seconds(options.bodyTimeout) {
                unsafe finish(transfer.handle, CURLE_OK)
            }
        }
    }

    private func cancelAll() {
        for waiting in waiting.values { waiting.job.done(.failed(.cancelled)) }
        waiting.removeAll()
        for transfer in active.values {
            _ = unsafe curl_multi_remove_handle(multi, transfer.handle)
            unsafe curl_easy_cleanup(transfer.handle)
            transfer.done(.failed(.cancelled))
        }
        active.removeAll()
    }
}
