import Model
import Service

extension API {
    /// Erases data of the store, and has the service forget what it holds of them: tokens, logged events and open streams. The phones are
    /// counted anew before it returns.
    func erase<Result: Sendable>(
        _ erase: @escaping @Sendable (GeofenceService) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result = try await writer.perform { [self] service throws(Problem) in
            let result = try erase(service)
            // Tokens for an erased device alone are gone with it.
            admit(try service.accessList())
            log.forget()
            return result
        }
        streams.renew()
        await withCheckedContinuation { continuation in lookAtPhones { continuation.resume() } }
        return result
    }
}
