import Dispatch
import Model
import Settings
import SimulatedOS
import Workers

extension Readers: QueryAccess {}

/// Threads that answer questions, each with a connection of its own beside the one that writes.
public final class Readers: Sendable {
    private struct Question: Sendable {
        /// Whether the writer has written for it what is derived.
        var isSettled = true
        var ask: @Sendable (Result<Queries, Problem>) -> Void
    }

    /// So long a question waits for the writer, which may wait for the disk or another program. Then it makes what is missing itself.
    private static let patience = DispatchTimeInterval.seconds(1)

    private let queue = WorkQueue<Question>()
    private let threads: WorkThreads
    private let settle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// - Parameters:
    ///   - count: How many questions are answered at a time.
    ///   - appReportMaxAge: See `Queries.appReportMaxAge`.
    ///   - storeProblem: Shown with the problems of the journal.
    ///   - supportContact: See `Queries.supportContact`.
    ///   - catalogues: Those of the writer, so that they follow its edits.
    ///   - phones: Those of the writer; nil when nobody writes.
    ///   - settle: Calls what it is given once everything that is kept by then can be read; see `Writer.settle`. Nil when nobody writes.
    public init(
        _ directory: DataDirectory, count: Int = 2, appReportMaxAge: Double = Settings.usualAppReportMaxAge,
        storeProblem: StoreProblem? = nil, supportContact: SupportContact? = nil, catalogues: FenceCatalogues = FenceCatalogues(),
        phones: SimulatedPhones? = nil, clock: any WallClock = SystemClock(),
        settle: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.settle = settle
        let queue = queue
        threads = WorkThreads("picket reader", count: count) {
            var service: ServiceReader?
            while let question = queue.takeFirst() {
                do throws(Problem) {
                    let open =
                        if let service { service } else {
                            try ServiceReader(directory, isSettled: settle == nil, clock: clock)
                        }
                    open.appReportMaxAge = appReportMaxAge
                    open.storeProblem = storeProblem
                    open.supportContact = supportContact
                    open.catalogues = catalogues
                    if let phones { open.phones = phones }
                    try open.refresh(isWhole: settle != nil && question.isSettled)
                    service = open.hasStore ? open : nil
                    question.ask(.success(open))
                } catch {
                    service = nil
                    question.ask(.failure(error))
                }
            }
        }
    }

    /// Asks something; `told` is called with the answer, on a thread of the readers'.
    ///
    /// - Returns: False when the readers have been stopped; then nothing is told.
    public func submit<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result,
        _ told: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        let question = Question { service in
            let result: Swift.Result<Result, Problem>
            do throws(Problem) {
                result = .success(try body(try service.get()))
            } catch {
                result = .failure(error)
            }
            told(result)
        }
        guard let settle else { return queue.add(question) }
        let isAsked = Flag()
        let ask: @Sendable (Bool) -> Void = { [queue] isSettled in
            guard !isAsked.value.exchange(true, ordering: .relaxed) else { return }
            var question = question
            question.isSettled = isSettled
            if !queue.add(question) { told(.failure(.cancelled)) }
        }
        settle { ask(true) }
        if !isAsked.value.load(ordering: .relaxed) {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { ask(false) }
        }
        return true
    }

    /// Asks something and waits for the answer.
    public func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            if !submit(body, { continuation.resume(returning: $0) }) { continuation.resume(returning: .failure(.cancelled)) }
        }
        return try result.get()
    }

    /// Answers what was asked, and ends.
    public func stop() {
        queue.close()
        threads.join()
    }
}
