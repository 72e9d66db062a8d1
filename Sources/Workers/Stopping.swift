import Dispatch

/// A signal to stop, for threads that wait.
package final class Stopping: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func stop() { semaphore.signal() }

    /// Waits for `seconds`. Returns true when it is time to stop.
    package func wait(seconds: Double) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}
