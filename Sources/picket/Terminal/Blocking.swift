import Foundation
import Model

/// Runs asynchronous work and blocks the calling thread until it has ended.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws(Problem) -> Value {
    let done = DispatchSemaphore(value: 0)
    let box = ResultBox<Value>()
    Task.detached {
        do {
            box.set(.success(try await body()))
        } catch let problem as Problem {
            box.set(.failure(problem))
        } catch is CancellationError {
            box.set(.failure(.cancelled))
        } catch {
            box.set(.failure(.unknown(details: .verbatim(String(describing: error)))))
        }
        done.signal()
    }
    done.wait()
    return try box.get()
}

/// Passes one result from a task to the thread that waits for it.
private final class ResultBox<Value: Sendable>: @unchecked Sendable {
    // Safe: written once before the semaphore is signaled, and read once after the wait for it.
    private var result: Result<Value, Problem> = .failure(.cancelled)

    func set(_ result: Result<Value, Problem>) { self.result = result }
    func get() throws(Problem) -> Value { try result.get() }
}
