import Foundation

/// Dedicated threads for blocking work.
package struct WorkThreads: Sendable {
    private let ended: DispatchGroup

    /// Starts `count` threads that each run `body` once.
    package init(_ name: String, count: Int = 1, _ body: @escaping @Sendable () -> Void) {
        let ended = DispatchGroup()
        self.ended = ended
        for _ in 0..<count {
            ended.enter()
            let thread = Thread {
                body()
                ended.leave()
            }
            thread.name = name
            thread.stackSize = 4 << 20
            thread.start()
        }
    }

    /// Waits until all threads have ended.
    package func join() { ended.wait() }
}
