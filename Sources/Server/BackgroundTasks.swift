import Foundation
import Synchronization

/// The tasks that answer requests, so that the service can wait for them when it ends: a request that is never answered would
/// keep its connection for ever.
final class BackgroundTasks: Sendable {
    private struct State {
        var running: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isEnding = false
    }

    private let state = Mutex(State())
    private let group = DispatchGroup()

    /// Does something in a task of its own. False when it is too late.
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

    /// Has all of them end early where they can, waits for them, and takes no more.
    func end() {
        let running = state.withLock { state in
            state.isEnding = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
        group.wait()
    }
}
