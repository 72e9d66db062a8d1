import Model
import Presence
import Service

extension Writer {
    /// Stores positions, and waits for the result.
    package func store(_ batch: FixBatch) async throws -> IntakeResult {
        try await withCheckedContinuation { continuation in
            if !submit(batch, policy: .exact, { continuation.resume(returning: $0) }) {
                continuation.resume(returning: .failure(Problem.cancelled))
            }
        }.get()
    }
}
