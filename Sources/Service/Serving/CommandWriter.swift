import Core
import Model
import Presence

/// The work of the writer's thread for a single command. Created and used on that thread only.
struct CommandWriter {
    private let inbox: WriterInbox
    private let open: () throws(Problem) -> ServiceWriter

    /// - Parameter open: Opens the store. Called for the first work, and again if that has failed.
    init(_ inbox: WriterInbox, open: @escaping () throws(Problem) -> ServiceWriter) {
        self.inbox = inbox
        self.open = open
    }

    /// Does the work in order, each part in its own transactions, until the inbox is closed.
    func run() {
        var known: ServiceWriter?
        while let work = inbox.queue.takeFirst() {
            if case .release(let completion) = work {
                known = nil
                completion()
                continue
            }
            let service = Result { () throws(Problem) in
                if let known { return known }
                let opened = try open()
                known = opened
                return opened
            }
            switch work {
            case .positions(let request):
                inbox.removeWaiting(request.batch.batch.rows.count)
                request.completion(
                    Result { () throws(Problem) in
                        try request.admission?()
                        var intake = PositionIntake(service: try service.get(), policy: request.policy)
                        return try intake.accept(request.batch)
                    })
            case .edit(let body), .check(let body): body(service)(nil)
            case .settle(let isOfOrder, let completion):
                do throws(Problem) {
                    let service = try service.get()
                    if isOfOrder, try !service.hasReached(service.orderGoal()) { try service.sortFixes() }
                    completion(nil)
                } catch {
                    completion(error)
                }
            // Only a service sorts in parallel.
            case .sorted, .release: break
            }
        }
    }
}
