import Model

/// A way to ask something of a data directory on another thread, and to wait for the answer.
public protocol QueryAccess: Sendable {
    /// Asks something.
    ///
    /// - Throws: what `body` throws, and the problems of reading the store.
    func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result
}

/// A way to who writes, which belongs to one thread at a time: work is handed in, and waited for.
public protocol ServiceAccess: QueryAccess {
    /// Does `body` on the service, alone. What it changes is on disk when this returns.
    ///
    /// - Throws: what `body` throws, and the problems of making it durable.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result
}

extension ServiceAccess {
    public func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        try await perform { service throws(Problem) in try body(service) }
    }
}

/// The service of a command, which needs nobody else's consent. It holds the right to write to the data directory for as long as
/// it lives.
public actor LocalService: ServiceAccess {
    private let service: ServiceWriter

    /// - Parameters:
    ///   - purpose: The command that runs, for others that find the directory in use.
    ///   - patience: Milliseconds to wait for another process that writes.
    /// - Throws: `Problem.storeBusy` while another process writes to the directory: it says who works there.
    public init(
        _ directory: DataDirectory, purpose: String, patience: Int = DirectoryLock.patience,
        clock: any WallClock = SystemClock()
    ) throws(Problem) {
        service = try ServiceWriter(directory, purpose: purpose, patience: patience, clock: clock)
    }

    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        try body(service)
    }
}
