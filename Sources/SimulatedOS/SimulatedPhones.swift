import Dispatch
import Model
import Registry
import Synchronization

/// The only owner of the registry file: everything that reads or changes a simulated phone uses this class.
///
/// While a service runs, the owner has its own thread: committed positions are passed to that thread, and no request waits until
/// a phone has processed them. Without a service, each call does its work on the calling thread.
package final class SimulatedPhones: Sendable {
    private let file: LockedRegistryFile
    /// The thread of the owner; nil without a service.
    private let served: ServedPhones?

    /// The phones in a file, for a process without a service.
    package init(path: String) {
        file = LockedRegistryFile(path: path, patience: 5000)
        served = nil
    }

    /// The phones in a file, for a running service. The phones first process the positions that they missed in an earlier run.
    package init(serving path: String, _ observer: PhoneObserver) {
        // The timeout is short, because a request for a phone's health waits until all earlier work is done.
        file = LockedRegistryFile(path: path, patience: 1000, willChange: observer.willChange)
        served = ServedPhones(file, observer)
    }

    package var isServing: Bool { served != nil }

    // MARK: - Without a service

    /// Calls `body` with the file on the calling thread, and creates the file if it does not exist.
    package func onThisThread<Result>(_ body: (RegistryFile) throws(Problem) -> Result) throws(Problem) -> Result {
        try file.use(body)
    }

    /// Calls `body` with the file on the calling thread. If there is no file, creates none, and returns nil.
    package func onThisThreadIfFound<Result>(_ body: (RegistryFile) throws(Problem) -> Result) throws(Problem) -> Result? {
        guard file.exists else { return nil }
        return try file.use(body)
    }

    // MARK: - Positions

    /// Passes committed positions to the owner's thread. Returns at once.
    ///
    /// - Parameters:
    /// - positions: The positions of devices that have a simulated phone.
    ///   - number: The number of the newest committed position; nil if positions are not stored.
    package func committed(_ positions: [RegistryFile.Positions], upTo number: Int64?) {
        served?.committed(positions, upTo: number)
    }

    /// The phones have processed all positions up to this number; nil while the number is unknown.
    package var shownUpTo: Int64? { served?.shownUpTo }

    // MARK: - One phone

    /// Calls `body` with the phone of a device after all work that was added before, and saves the changed state.
    package func change<Result: Sendable>(
        _ device: Device, at now: Instant, _ body: @escaping @Sendable (inout SimulatedOS) -> Result
    ) async throws(Problem) -> Result {
        try await perform { file throws(Problem) in try file.change(device, at: now, body) }
    }

    /// Seconds that `phone(of:at:)` waits for the work that was added before.
    private static let patience = 3.0

    /// The phone of a device at a moment, after all work that was added before. Changes nothing.
    ///
    /// - Throws: The reason why phones could not process all positions, `Problem.storeBusy` if the earlier work takes more than three
    ///   seconds, and the problems of the file.
    package func phone(of device: Device, at now: Instant) throws(Problem) -> SimulatedOS {
        guard let served else { return try file.phone(of: device, at: now) }
        let late = Problem.storeBusy(path: file.path, holder: .anotherProgram)
        let answer = Mutex(Result<SimulatedOS, Problem>.failure(late))
        let done = DispatchSemaphore(value: 0)
        let isTaken = served.add(
            .call { file, flaw in
                let result = Result { () throws(Problem) -> SimulatedOS in
                    if let flaw { throw flaw }
                    return try file.phone(of: device, at: now)
                }
                answer.withLock { $0 = result }
                done.signal()
            })
        guard isTaken else { throw .cancelled }
        _ = done.wait(timeout: .now() + Self.patience)
        return try answer.withLock { $0 }.get()
    }

    /// Removes reports of a phone that have been recorded elsewhere. Returns at once. A failure is passed to the observer, and the reports
    /// are sent again.
    package func removeReports(_ reports: [RegistryReport], of device: Device) {
        served?.changeLater { file throws(Problem) in try file.removeReports(reports, of: device) }
    }

    /// Removes the phone of a removed device after all work that was added before. Returns at once. A failure is passed to the observer.
    package func remove(_ device: String) { served?.changeLater { file throws(Problem) in try file.remove(device) } }

    /// The ids of the devices that have a phone, after all work that was added before.
    package func deviceIDs() async throws(Problem) -> [String] {
        file.exists ? try await perform { file throws(Problem) in try file.deviceIDs() } : []
    }

    /// Removes the phones of removed devices after all work that was added before.
    package func remove(_ devices: [String]) async throws(Problem) {
        guard file.exists, !devices.isEmpty else { return }
        try await perform { file throws(Problem) in for device in devices { try file.remove(device) } }
    }

    /// Calls `body` on the owner's thread after all work that was added before; `body` must not block. Without a service, calls `body` at
    /// once.
    package func afterAll(_ body: @escaping @Sendable () -> Void) {
        if served?.add(.call { _, _ in body() }) != true { body() }
    }

    /// Notifies the observer if another process has changed phones since the last call, such as a command that lets a phone lose
    /// a region. Returns at once. Without a service, does nothing.
    package func checkForForeignChanges() { served?.checkForForeignChanges() }

    // MARK: - The file

    /// Empties the file's write-ahead log after all work that was added before. See `RegistryFile.rewrite(isWhole:)`.
    ///
    /// - Returns: Whether the log is empty, so that nothing of the removed data is left.
    package func rewrite(isWhole: Bool) async throws(Problem) -> Bool {
        guard file.exists else { return true }
        return try await perform { file throws(Problem) in try file.rewrite(isWhole: isWhole) }
    }

    /// Finishes the work that was added, and ends the owner's thread.
    package func stop() { served?.stop() }

    private func perform<Result: Sendable>(
        _ body: @escaping @Sendable (RegistryFile) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        guard let served else { return try file.use(body) }
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            let isTaken = served.add(
                .call { file, _ in
                    continuation.resume(returning: Swift.Result { () throws(Problem) in try file.use(body) })
                })
            if !isTaken { continuation.resume(returning: .failure(.cancelled)) }
        }
        return try result.get()
    }
}
