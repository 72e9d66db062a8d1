import Model
import Synchronization

/// Answers whether the service can take positions and answer requests. Any client may ask, so the writer performs at most a few
/// checks a second: requests that come together share one check, and a positive result is valid for a moment.
final class ReadinessCheck: Sendable {
    private struct State {
        /// When the last check has succeeded; nil if it has failed.
        var succeededAt: ContinuousClock.Instant?
        /// Those who wait for the check that is in progress; nil if none is.
        var waiting: [CheckedContinuation<Problem?, Never>]?
    }

    private let state = Mutex(State())
    private let check: @Sendable () async -> Problem?

    /// The time for which a positive result is valid.
    private static let lifetime = Duration.milliseconds(250)

    /// - Parameter check: Asks the writer; nil if all is well.
    init(_ check: @escaping @Sendable () async -> Problem?) { self.check = check }

    /// Why the service is not ready; nil if it is.
    func problem() async -> Problem? {
        enum Next { case ready, wait, check }
        let problem: Problem? = await withCheckedContinuation { continuation in
            let next: Next = state.withLock { state in
                if let at = state.succeededAt, ContinuousClock.now - at < Self.lifetime { return .ready }
                if state.waiting != nil {
                    state.waiting?.append(continuation)
                    return .wait
                }
                state.waiting = [continuation]
                return .check
            }
            switch next {
            case .ready: continuation.resume(returning: nil)
            case .wait: break
            case .check: Task { finish(await check()) }
            }
        }
        return problem
    }

    private func finish(_ problem: Problem?) {
        let waiting = state.withLock { state in
            state.succeededAt = problem == nil ? .now : nil
            return state.waiting.take() ?? []
        }
        for continuation in waiting { continuation.resume(returning: problem) }
    }
}
