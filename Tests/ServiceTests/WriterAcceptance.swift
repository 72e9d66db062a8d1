import Model
import Testing

@testable import Presence
@testable import Service

extension Writer {
    /// Stores positions, and waits for the result.
    func store(_ batch: FixBatch) async throws -> IntakeResult {
        try await withCheckedContinuation { continuation in
            #expect(submit(batch, policy: .exact) { continuation.resume(returning: $0) })
        }.get()
    }
}
