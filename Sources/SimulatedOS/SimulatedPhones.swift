import Dispatch
import Model
import Registry
import Synchronization
import Workers

/// The one owner of the simulated phones' file: whatever reads or changes a phone goes through it.
///
/// While a service runs, the owner has a thread: positions that are committed are handed to it, and nobody waits until a phone has seen
/// them. Without a service, each call does its work on the thread that makes it.
public final class SimulatedPhones: Sendable {
    private let file: LockedRegistryFile
    /// Nil without a service.
    private let served: ServedPhones?

    /// The phones of a file, for a process that does everything itself.
    public init(path: String) {
        file = LockedRegistryFile(path: path, patience: 5000)
        served = nil
    }

    /// The phones of a file, for a running service. They are shown first what a run before this one has not shown them.
    public init(serving path: String, _ observer: PhoneObserver) {
        // Whoever asks for a phone's health waits for what was handed in before.
        file = LockedRegistryFile(path: path, patience: 1000)
        served = ServedPhones(file, observer)
    }

    public var isServing: Bool { served != nil }

    // MARK: - Positions

    /// Shows phones positions that are committed, and waits until that is done. For a process without a service.
    public func showNow(_ positions: [RegistryFile.Positions]) throws(Problem) -> RegistryFile.Shown {
        try file.use { file throws(Problem) in try file.show(positions) }
    }

    /// Hands in positions that are committed. Returns at once.
    ///
    /// - Parameters:
    ///   - positions: Of devices that have a simulated phone.
    ///   - number: Of the newest position that is committed; nil when none is kept.
    public func committed(_ positions: [RegistryFile.Positions], upTo number: Int64?) {
        served?.committed(positions, upTo: number)
    }

    /// Phones have been shown all positions up to this number; nil while that is not known.
    public var shownUpTo: Int64? { served?.shownUpTo }

    // MARK: - One phone

    /// Lets `body` change the phone of a device, after everything that was handed in before, and keeps what it has become.
    public func change<Result: Sendable>(
        _ device: Device, at now: Instant, _ body: @escaping @Sendable (inout SimulatedOS) -> Result
    ) async throws(Problem) -> Result {
        try await perform { file throws(Problem) in try file.change(device, at: now, body) }
    }

    /// The same on the calling thread. For a process without a service.
    public func changeNow<Result>(
        _ device: Device, at now: Instant, _ body: (inout SimulatedOS) -> Result
    ) throws(Problem) -> Result {
        try file.use { file throws(Problem) in try file.change(device, at: now, body) }
    }

    /// Seconds that a question for a phone waits for what was handed in before it.
    private static let patience = 3.0

    /// The phone of a device as it is at a moment, after everything that was handed in before. Changes nothing.
    ///
    /// - Throws: Also why phones could not be shown all positions, and `Problem.storeBusy` when that takes more than three seconds.
    public func phone(of device: Device, at now: Instant) throws(Problem) -> SimulatedOS {
        guard let served else { return try file.phone(of: device, at: now) }
        let late = Problem.storeBusy(path: file.path, holder: "another program")
        let answer = Mutex(Result<SimulatedOS, Problem>.failure(late))
        let done = DispatchSemaphore(value: 0)
        let isTaken = served.add(
            .call { file, flaw in
                let result: Result<SimulatedOS, Problem>
                do throws(Problem) {
                    if let flaw { throw flaw }
                    result = .success(try file.phone(of: device, at: now))
                } catch {
                    result = .failure(error)
                }
                answer.withLock { $0 = result }
                done.signal()
            })
        guard isTaken else { throw .cancelled }
        _ = done.wait(timeout: .now() + Self.patience)
        return try answer.withLock { $0 }.get()
    }

    /// Has reports of a phone removed that have been taken note of. Returns at once; a failure is told the observer, and the reports
    /// are told again.
    public func removeReports(_ reports: [RegistryReport], of device: Device) {
        served?.changeLater { file throws(Problem) in try file.removeReports(reports, of: device) }
    }

    /// The same on the calling thread. For a process without a service.
    public func removeReportsNow(_ reports: [RegistryReport], of device: Device) throws(Problem) {
        try file.use { file throws(Problem) in try file.removeReports(reports, of: device) }
    }

    /// Has the phone of a device forgotten that is no more, once what was handed in before is done. Returns at once; a failure is told
    /// the observer.
    public func remove(_ device: String) { served?.changeLater { file throws(Problem) in try file.remove(device) } }

    /// The same on the calling thread. For a process without a service.
    public func removeNow(_ device: String) throws(Problem) {
        if file.exists { try file.use { file throws(Problem) in try file.remove(device) } }
    }

    /// Calls `body` when what was handed in so far is done, on the thread of the owner: it must not be held up. At once without a service.
    public func afterAll(_ body: @escaping @Sendable () -> Void) {
        if served?.add(.call { _, _ in body() }) != true { body() }
    }

    // MARK: - The file

    /// Empties the file's log, after everything that was handed in before; see `RegistryFile.rewrite(isWhole:)`.
    ///
    /// - Returns: Whether nothing is left of what was removed.
    public func rewrite(isWhole: Bool) async throws(Problem) -> Bool {
        guard file.exists else { return true }
        return try await perform { file throws(Problem) in try file.rewrite(isWhole: isWhole) }
    }

    /// The same on the calling thread. For a process without a service.
    public func rewriteNow(isWhole: Bool) throws(Problem) -> Bool {
        guard file.exists else { return true }
        return try file.use { file throws(Problem) in try file.rewrite(isWhole: isWhole) }
    }

    /// Finishes what was handed in, and ends the thread of a service.
    public func stop() { served?.stop() }

    private func perform<Result: Sendable>(
        _ body: @escaping @Sendable (RegistryFile) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        guard let served else { return try file.use(body) }
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            let isTaken = served.add(
                .call { file, _ in
                    do throws(Problem) {
                        continuation.resume(returning: .success(try file.use(body)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                })
            if !isTaken { continuation.resume(returning: .failure(.cancelled)) }
        }
        return try result.get()
    }
}
