import Foundation
import Synchronization

/// The tasks that answer requests. The service waits for them when it ends, because a request without an answer would keep its connection
/// open forever.
final class BackgroundTasks: Sendable {
    private struct State {
        var running: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isEnding = false
    }

    private let state = Mutex(State())
    private let group = DispatchGroup()

    /// Runs `body` in its own task. Returns false without running it when the service is ending.
    func run(_ body: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isEnding else { return false }
            let number = state.next
            state.next += 1
            group.enter()
            state.running[number] = Task {
                await body()
                _ = self.state.withLock { $0.running.removeValue(forKey: number) }
                group.leave()
            }
            return true
        }
    }

    /// Cancels all tasks, waits for them, and accepts no more.
    func end() {
        let running = state.withLock { state in
            state.isEnding = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
        group.wait()
    }
}
