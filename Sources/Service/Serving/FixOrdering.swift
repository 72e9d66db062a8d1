import Dispatch
import Model
import Store
import Synchronization

/// Puts fixes in order by device and time while a service runs. Whoever needs the order waits for it here, and nobody else does: a reader sorts
/// the fixes beside the writer, and the writer puts in some thousands at a time, other work in between.
final class FixOrdering: Sendable {
    /// So many fixes are put in order at once; it takes some milliseconds. While no more than that are not in order, nobody waits.
    static let most = 4_000
    /// So many passes are done at most for those who wait: positions that come meanwhile may not be in order.
    private static let mostPasses = 4

    private let inbox: WriterInbox
    /// The file of the store.
    private let path: String
    private let problem: @Sendable (Problem) -> Void
    /// What is to be done when the order is up to date.
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    /// - Parameter problem: Is told why fixes could not be put in order.
    init(_ inbox: WriterInbox, path: String, problem: @escaping @Sendable (Problem) -> Void) {
        self.inbox = inbox
        self.path = path
        self.problem = problem
    }

    /// Calls `told` when all fixes that are stored by now are in order, or could not be put in order. It is called on any thread, once.
    func order(_ told: @escaping @Sendable () -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(told)
            return waiting.count == 1
        }
        if isFirst { begin(1) }
    }

    private func end() {
        let all = waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return waiting
        }
        for told in all { told() }
    }

    private func begin(_ number: Int) {
        onWriter { [self] service throws(Problem) in
            guard number <= Self.mostPasses, try service.store.unorderedFixCount() > Self.most else { return end() }
            let removals = service.store.fixRemovals
            DispatchQueue.global().async { [self] in
                do throws(Problem) {
                    let store = try RegionStore(reading: path)
                    let pass = try store.snapshot { () throws(Problem) in try store.fixOrderPass(removals: removals) }
                    if let pass { go(on: pass, number) } else { end() }
                } catch {
                    problem(error)
                    end()
                }
            }
        }
    }

    private func go(on pass: FixOrderPass, _ number: Int) {
        onWriter { [self] service throws(Problem) in
            var pass = pass
            try service.transaction { () throws(Problem) in try service.store.order(&pass, atMost: Self.most) }
            if pass.isDone { begin(number + 1) } else { go(on: pass, number) }
        }
    }

    /// Does a step on the writer's thread, after what waits there already. Nobody waits until it is kept: it can be done again.
    private func onWriter(_ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Void) {
        let isTaken = inbox.queue.add(
            .edit { [self] service in
                do throws(Problem) {
                    try body(try service.get())
                } catch {
                    problem(error)
                    end()
                }
                return { _ in }
            })
        if !isTaken { end() }
    }
}
