import Model

/// Sends queries to a data directory on another thread, and waits for the answers.
package protocol QueryAccess: Sendable {
    /// Performs a query.
    ///
    /// - Throws: The errors of `body`, and the problems of reading the store.
    func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result
}

/// Sends work to the writer, which belongs to one thread at a time, and waits for the results.
package protocol ServiceAccess: QueryAccess {
    /// Performs `body` with exclusive access to the writer. The changes are on disk when this returns.
    ///
    /// - Throws: The errors of `body`, and the problems of saving the changes.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result
}

extension ServiceAccess {
    package func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        try await perform { service throws(Problem) in try body(service) }
    }
}

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
