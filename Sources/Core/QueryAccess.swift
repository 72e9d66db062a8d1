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
