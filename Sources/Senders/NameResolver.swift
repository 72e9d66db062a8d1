import CCurl
import Foundation
import Synchronization
import Workers

/// Resolves host names on a few threads, and keeps the results for a while. libcurl itself would start a thread for each transfer.
///
/// Names that could not be resolved last time have their own threads, so that others do not wait for them.
package final class NameResolver: Sendable {
    /// Why a name cannot be resolved.
    package struct Failure: Error {
        var message: String
        /// Whether the name may exist nevertheless.
        var isTemporary: Bool
    }

    package typealias Answer = Result<[String], Failure>

    private struct Entry {
        /// Numeric addresses, the preferred one first; nil before the first success.
        var addresses: [String]?
        /// When the addresses were looked up.
        var resolvedAt = 0.0
        /// Why the last lookup failed; nil if it did not.
        var failure: Failure?
        var failedAt = 0.0
        var isUnderWay = false
        var waiting: [@Sendable (Answer) -> Void] = []
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var isStopped = false
        /// Whether the threads for names that failed last time, and those for all others, have started.
        var hasThreads = [false: false, true: false]
    }

    /// Seconds for which addresses are used without another lookup.
    static let freshness = 60.0
    /// Seconds for which addresses are still used while they are looked up again, so that connections do not depend on the name server.
    static let staleness = 3600.0
    /// Seconds for which a failure is reported without another lookup.
    static let failureAge = 5.0
    /// The number of threads for names that failed last time, and of those for all others.
    static let threadCount = 4
    /// The maximum number of names to keep.
    private static let capacity = 4096

    private let state = Mutex(State())
    private let names = WorkQueue<String>()
    private let failedNames = WorkQueue<String>()
    private let lookUp: @Sendable (String) -> Answer
    private let time: @Sendable () -> Double

    /// - Parameters:
    ///   - lookUp: Resolves a name, and blocks meanwhile.
    ///   - time: The monotonic time in seconds.
    package init(
        lookUp: @escaping @Sendable (String) -> Answer = NameResolver.askSystem,
        time: @escaping @Sendable () -> Double = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    ) {
        self.lookUp = lookUp
        self.time = time
    }

    deinit { stop() }

    /// Resolves a name.
    ///
    /// - Parameter done: Called with the answer if it is not known yet, on any thread.
    /// - Returns: The answer if it is known.
    func resolve(_ name: String, _ done: @escaping @Sendable (Answer) -> Void) -> Answer? {
        let now = time()
        let (answer, queue): (Answer?, WorkQueue<String>?) = state.withLock { state in
            if state.isStopped { return (.failure(Failure(message: "The service stops.", isTemporary: true)), nil) }
            if state.entries[name] == nil, state.entries.count >= Self.capacity {
                state.entries = state.entries.filter { $1.isUnderWay }
            }
            var entry = state.entries[name] ?? Entry()
            defer { state.entries[name] = entry }
            var answer: Answer?
            if let addresses = entry.addresses, now - entry.resolvedAt < Self.staleness {
                if now - entry.resolvedAt < Self.freshness { return (.success(addresses), nil) }
                answer = .success(addresses)
            }
            if let failure = entry.failure, now - entry.failedAt < Self.failureAge { return (answer ?? .failure(failure), nil) }
            if answer == nil { entry.waiting.append(done) }
            if entry.isUnderWay { return (answer, nil) }
            entry.isUnderWay = true
            let hasFailed = entry.failure != nil
            let queue = hasFailed ? failedNames : names
            if state.hasThreads[hasFailed] == false {
                state.hasThreads[hasFailed] = true
                startThreads(queue)
            }
            return (answer, queue)
        }
        _ = queue?.add(name)
        return answer
    }

    /// Ends the threads when they have nothing more to do. Does not wait for a lookup that is in progress.
    package func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.entries = [:] }
            return state.entries.values.flatMap(\.waiting)
        }
        names.close()
        failedNames.close()
        for done in waiting { done(.failure(Failure(message: "The service stops.", isTemporary: true))) }
    }

    private func startThreads(_ queue: WorkQueue<String>) {
        _ = WorkThreads("picket names", count: Self.threadCount) { [weak self, lookUp] in
            while let name = queue.takeFirst() {
                guard let isWanted = self?.state.withLock({ !$0.isStopped }), isWanted else { continue }
                let answer = lookUp(name)
                self?.record(answer, of: name)
            }
        }
    }

    private func record(_ answer: Answer, of name: String) {
        let now = time()
        let waiting = state.withLock { state -> [@Sendable (Answer) -> Void] in
            guard var entry = state.entries[name] else { return [] }
            let waiting = entry.waiting
            (entry.isUnderWay, entry.waiting) = (false, [])
            switch answer {
            case .success(let addresses): (entry.addresses, entry.resolvedAt, entry.failure) = (addresses, now, nil)
            case .failure(let failure):
                (entry.failure, entry.failedAt) = (failure, now)
                if !failure.isTemporary { entry.addresses = nil }
            }
            state.entries[name] = entry
            return waiting
        }
        for done in waiting { done(answer) }
    }

    // MARK: - The system's resolver

    /// The addresses of a name, in the order in which they are to be tried (getaddrinfo(3), RFC 6724).
    package static let askSystem: @Sendable (String) -> Answer = { name in
        var hints = unsafe addrinfo()
        // IANA's number of TCP. Without it, each address is listed for each protocol.
        unsafe hints.ai_protocol = 6
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            let isTemporary = code != EAI_NONAME
            return .failure(Failure(message: unsafe String(cString: gai_strerror(code)), isTemporary: isTemporary))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [String] = []
        var next = unsafe list
        while let info = unsafe next {
            unsafe next = info.pointee.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                unsafe getnameinfo(
                    info.pointee.ai_addr, info.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        // libcurl does not accept the interface of a link-local address.
        addresses.removeAll { $0.contains("%") }
        return addresses.isEmpty ? .failure(Failure(message: "It has no address.", isTemporary: false)) : .success(addresses)
    }
}

extension NameResolver {
    /// The message for a person about a host whose address was not known in time.
    ///
    /// - Parameter limit: In seconds.
    static func timeoutDetails(_ limit: Double) -> String { "Resolving timed out after \(Int(limit * 1000)) milliseconds" }
}

extension NameResolver.Failure {
    /// The message for a person about a host without an address.
    func details(ofHost name: String) -> String { "Could not resolve host: \(name) (\(message))" }
}

/// The host and port of a URL.
struct URLHost: Sendable {
    var name: String
    var port: String

    /// Nil for an invalid URL, for a numeric address, and for a name of this machine: libcurl knows these addresses without a query.
    init?(_ url: String) {
        guard let parts = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(parts) }
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(parts, part, &text, UInt32(flags)) == CURLUE_OK, let found = unsafe text else { return nil }
            defer { unsafe curl_free(found) }
            return unsafe String(cString: found)
        }
        guard unsafe curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK, let name = part(CURLUPART_HOST),
            let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT)
        else { return nil }
        guard Self.needsQuery(name) else { return nil }
        (self.name, self.port) = (name, port)
    }

    /// Whether the addresses of a host are known only by a query: it is neither a numeric address nor a name of this machine.
    static func needsQuery(_ host: String) -> Bool {
        var address = in_addr()
        if unsafe host.contains(":") || inet_pton(AF_INET, host, &address) == 1 { return false }
        let lower = host.lowercased()
        return lower != "localhost" && !lower.hasSuffix(".localhost")
    }
}

/// A host whose name is resolved.
struct ResolvedHost: CustomStringConvertible {
    var host: URLHost
    var addresses: [String]

    /// In the notation of libcurl (https://curl.se/libcurl/c/CURLOPT_RESOLVE.html). The plus sign lets it forget the addresses later.
    var description: String {
        "+\(host.name):\(host.port):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
    }
}
