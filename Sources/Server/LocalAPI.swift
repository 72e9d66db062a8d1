import Core
import Dispatch
import HTTPServer
import Model
import Registrations
import Service
import Settings
import Synchronization

/// The HTTP interface of a data directory in this process, without a service and without a socket, for a single command.
///
/// The same routes answer as in a running service. Queries read the store beside another process that may write to it.
package final class LocalAPI: Sendable {
    private let store: StoreThreads
    private let version: String
    /// Whether the directory stays locked as long as the instance exists.
    private let isLocking: Bool
    private let known: Mutex<API>
    /// The maintenance that was done in the directory when it was locked; nil without any.
    package let care: DirectoryCare?

    /// - Parameters:
    ///   - settings: The settings of a service on the directory.
    ///   - command: The command, shown to other processes that find the directory locked.
    ///   - version: The version of Picket.
    ///   - isLocking: Whether the directory is locked for changes, now and as long as the instance exists. If not, a change locks it only
    ///     until it is answered.
    /// - Throws: `Problem.storeBusy` if another process writes to the directory, and the problems of opening a store.
    package init(
        _ directory: DataDirectory, _ settings: Settings, command: String, version: String, locking isLocking: Bool = false,
        clock: any WallClock = SystemClock()
    ) throws(Problem) {
        self.version = version
        self.isLocking = isLocking
        let store = StoreThreads(ofCommand: command, directory, settings, clock: clock)
        self.store = store
        do throws(Problem) {
            care = isLocking ? try Self.wait { store.writer.submit({ $0.care }, $0) } : nil
            let stored = try Self.wait { store.readers.submit({ service throws(Problem) in try StoredAccess(service) }, $0) }
            known = Mutex(API(ofCommand: store, stored, version: version))
        } catch {
            store.stop()
            throw error
        }
    }

    /// The routes on the store as it is now. Another process may have added events, and may even have replaced the store.
    private func currentAPI() throws(Problem) -> API {
        let api = known.withLock { $0 }
        let changed = try Self.wait { [epochs = api.epochs, log = api.log] done in
            store.readers.submit(
                { service throws(Problem) -> StoredAccess? in
                    log.setNewest(try service.newestSequence())
                    return try service.epochs() == epochs ? nil : StoredAccess(service)
                }, done)
        }
        guard let changed else { return api }
        let new = API(ofCommand: store, changed, version: version)
        known.withLock { $0 = new }
        return new
    }

    deinit { store.stop() }

    /// Releases the directory after work that did not need it for long, such as a query.
    private func releaseUnlessLocked() { if !isLocking { store.writer.release() } }

    /// Waits for the result of work on another thread.
    private static func wait<Result: Sendable>(
        _ begin: (@escaping @Sendable (Swift.Result<Result, Problem>) -> Void) -> Bool
    ) throws(Problem) -> Result {
        let done = DispatchSemaphore(value: 0)
        let found = Mutex<Swift.Result<Result, Problem>>(.failure(.cancelled))
        let isTaken = begin { result in
            found.withLock { $0 = result }
            done.signal()
        }
        if isTaken { done.wait() }
        return try found.withLock { $0 }.get()
    }

    /// Answers a request of the directory's owner, who may do everything.
    ///
    /// - Parameters: See `LocalExchange`.
    package func answer(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        receive: (_ status: Int, [UInt8]) throws(Problem) -> Void
    ) throws(Problem) -> LocalExchange.Answer {
        let api = try currentAPI()
        // A query may have sorted positions.
        defer { releaseUnlessLocked() }
        let credentials = (name: HeaderName.authorization.rawValue, value: "Bearer \(api.site.ownSecret)")
        return try LocalExchange(method, target, headers: headers + [credentials], body: body).answer(by: api, receive)
    }

    /// Records the health of phones that has changed since it was last recorded, unless another process writes to the directory. A running
    /// service does this automatically.
    ///
    /// - Parameter id: The id of the only device to assess; nil for all.
    package func recordHealth(ofDevice id: String?) throws(Problem) {
        defer { releaseUnlessLocked() }
        while true {
            let (changed, hasMore) = try Self.wait { [store] done in
                store.readers.submit({ service throws(Problem) in try service.changedHealth(ofDevice: id) }, done)
            }
            if changed.isEmpty { return }
            do throws(Problem) {
                try Self.wait { [store] done in
                    store.writer.submit(
                        { service throws(Problem) in for status in changed { try service.record(status) } }, done)
                }
            } catch .storeBusy {
                return
            }
            if !hasMore { return }
        }
    }
}
