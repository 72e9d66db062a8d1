import Model

/// Runs closures with the service's writer, which only one thread at a time may use, and waits for their results.
package protocol ServiceAccess: QueryAccess {
    /// Performs `body` with exclusive access to the writer. The changes are on disk when this returns.
    ///
    /// - Throws: The errors of `body`, and the problems of saving the changes.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result
}

extension ServiceAccess {
    /// Performs a query with exclusive access to the writer.
    package func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        try await perform { service throws(Problem) in try body(service) }
    }
}
