import Core
import Dispatch
import Model
import Store
import Synchronization
import Workers

/// Sorts fixes by device and time while a service runs. Only work that needs the order waits for it: a reader sorts the fixes in
/// parallel to the writer, and the writer stores a few thousand of them at a time, with other work in between.
final class FixOrdering: Sendable {
    private let inbox: WriterInbox
    /// The path of the store.
    private let path: String
    private let problem: @Sendable (Problem) -> Void
    /// The functions to call when the order is up to date.
    private let waiting = Mutex<[@Sendable (Problem?) -> Void]>([])

    /// - Parameter problem: Called if the fixes could not be sorted.
    init(_ inbox: WriterInbox, path: String, problem: @escaping @Sendable (Problem) -> Void) {
        self.inbox = inbox
        self.path = path
        self.problem = problem
    }

    /// Calls `completion` once on any thread, when the fixes that are stored now are sorted except for a few thousand, or with
    /// the problem that prevented sorting them.
    func sortFixes(_ completion: @escaping @Sendable (Problem?) -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(completion)
            return waiting.count == 1
        }
        if isFirst { startPass(upTo: nil) }
    }

    private func finishAll(_ failure: Problem? = nil) {
        let all = waiting.withLock { waiting in
            defer { waiting.removeAll() }
            return waiting
        }
        for completion in all { completion(failure) }
    }

    /// - Parameter number: The fixes up to this number are to be sorted, but not those that arrive in the meantime; nil for those that are
    ///   stored now.
    private func startPass(upTo number: Int64?) {
        onWriter { [self] service throws(Problem) in
            let end = if let number { number } else { try service.store.newestInput() }
            let isOrdered = try service.store.areFixesOrdered(upTo: end)
            guard !isOrdered, try service.store.unorderedFixCount() > Queries.fixesSortedAtOnce else { return finishAll() }
            let removals = service.store.fixRemovals
            DispatchQueue.global().async { [self] in
                do throws(Problem) {
                    let store = try PicketStore(reading: path)
                    let pass = try store.snapshot { () throws(Problem) in try store.fixOrderPass(removals: removals) }
                    if let pass { continuePass(pass, upTo: end) } else { finishAll() }
                } catch {
                    problem(error)
                    finishAll(error)
                }
            }
        }
    }

    private func continuePass(_ pass: FixOrderPass, upTo number: Int64) {
        onWriter { [self] service throws(Problem) in
            var pass = pass
            try service.transaction { () throws(Problem) in
                try service.store.order(&pass, atMost: Queries.fixesSortedAtOnce)
            }
            if pass.isDone { startPass(upTo: number) } else { continuePass(pass, upTo: number) }
        }
    }

    /// Performs a step on the writer's thread after the work that already waits there. The step does not wait for a sync, because it can be
    /// repeated.
    private func onWriter(_ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Void) {
        let isTaken = inbox.queue.add(
            .edit { [self] service in
                do throws(Problem) {
                    try body(try service.get())
                } catch {
                    problem(error)
                    finishAll(error)
                }
                return { _ in }
            })
        if !isTaken { finishAll(.cancelled) }
    }
}
