import Foundation

/// Threads of one's own, for work that blocks.
public struct WorkThreads: Sendable {
    private let ended: DispatchGroup

    /// Starts threads that run `body` to its end.
    public init(_ name: String, count: Int = 1, _ body: @escaping @Sendable () -> Void) {
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

    /// Waits until all of them have ended.
    public func join() { ended.wait() }
}
