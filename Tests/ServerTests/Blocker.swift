import Dispatch
import Model

@testable import Service

/// Keeps a reader busy until it is released.
final class Blocker: Sendable {
    private let end = DispatchSemaphore(value: 0)

    init(_ readers: Readers) async {
        let end = end
        await withCheckedContinuation { continuation in
            _ = readers.submit({ _ in
                continuation.resume()
                end.wait()
            }) { (_: Result<Void, Problem>) in }
        }
    }

    func release() { end.signal() }
}
