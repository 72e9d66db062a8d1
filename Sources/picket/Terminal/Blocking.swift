import Foundation
import Model
import Synchronization

/// Runs asynchronous work and blocks the calling thread until it has ended.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws(Problem) -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Value, Problem>>(.failure(.cancelled))
    Task.detached {
        let ended: Result<Value, Problem>
        do {
            ended = .success(try await body())
        } catch let problem as Problem {
            ended = .failure(problem)
        } catch is CancellationError {
            ended = .failure(.cancelled)
        } catch {
            ended = .failure(.unknown(details: .verbatim(String(describing: error))))
        }
        result.withLock { $0 = ended }
        done.signal()
    }
    done.wait()
    return try result.withLock { $0 }.get()
}
