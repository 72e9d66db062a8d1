import Model
import Service

extension API {
    /// Erases data of the store, and removes it from the service's memory: tokens, logged events and open streams. Returns after the phones
    /// have been counted again.
    ///
    /// - Parameter isRewriting: Whether the file of the simulated phones is also rewritten.
    /// - Returns: The result of `erase`, and whether no traces are left in the file of the simulated phones.
    func erase<Result: Sendable>(
        isRewriting: Bool, _ erase: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> (result: Result, arePhonesGone: Bool) {
        let result = try await writer.perform { [self] service throws(Problem) in
            let result = try erase(service)
            // Tokens that are restricted to an erased device are erased with it.
            acceptTokens(of: try service.accessList())
            log.discardEvents()
            return result
        }
        let arePhonesGone = try await writer.phones.rewrite(isWhole: isRewriting)
        endOpenStreams()
        await withCheckedContinuation { continuation in updateHealthMetrics { continuation.resume() } }
        return (result, arePhonesGone)
    }
}
