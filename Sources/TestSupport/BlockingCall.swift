import Foundation

/// Blocking calls in asynchronous tests. Tests must not block, because they share a few threads with the tasks of the service in the same
/// process.
package enum BlockingCall {
    /// Runs `body` on its own thread.
    @discardableResult
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }
}
