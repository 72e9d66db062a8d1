import Model
import Service

extension API {
    /// Erases data of the store, and has the service forget what it holds of them: tokens, logged events and open streams. The phones are
    /// counted anew before it returns.
    ///
    /// - Parameter isRewriting: Whether the file of the simulated phones is written anew, too.
    /// - Returns: What `erase` returns, and whether nothing is left in the file of the simulated phones.
    func erase<Result: Sendable>(
        isRewriting: Bool, _ erase: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> (result: Result, arePhonesGone: Bool) {
        let result = try await writer.perform { [self] service throws(Problem) in
            let result = try erase(service)
            // Tokens for an erased device alone are gone with it.
            admit(try service.accessList())
            log.forget()
            return result
        }
        let arePhonesGone = try await writer.phones.rewrite(isWhole: isRewriting)
        streams.renew()
        await withCheckedContinuation { continuation in lookAtPhones { continuation.resume() } }
        return (result, arePhonesGone)
    }
}
