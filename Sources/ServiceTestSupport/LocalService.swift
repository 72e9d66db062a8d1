import Core
import Model
import Places

/// The writer of a single command, without a service. It holds the lock of the data directory as long as the instance exists.
package actor LocalService: ServiceAccess {
    private let service: ServiceWriter

    /// - Parameters:
    /// - purpose: The command that runs, shown to other processes that find the directory locked.
    ///   - patience: Milliseconds to wait for another process that writes to the directory.
    /// - Throws: `Problem.storeBusy` with the holder if another process writes to the directory.
    package init(
        _ directory: DataDirectory, purpose: String, patience: Int = DirectoryLock.patience,
        clock: any WallClock = SystemClock()
    ) throws(Problem) {
        service = try ServiceWriter(directory, purpose: purpose, patience: patience, clock: clock)
    }

    package func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        try body(service)
    }
}
