import Core
import Dispatch
import Model
import Settings
import SimulatedOS
import Store
import Workers

extension Readers: QueryAccess {
    package func ask<Result: Sendable>(
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        try await ask(for: .service, body)
    }
}

/// Threads that answer queries, each with its own connection in parallel to the writer's. Clients take turns. A query whose client has
/// disconnected is not performed, or interrupted, and fails with `Problem.cancelled`.
package final class Readers: Sendable {
    private struct Query: Sendable {
        let client: QueryClient
        /// Whether the writer has written all derived data before this query.
        var isSettled = true
        let ask: @Sendable (Result<Queries, Problem>) -> Void
    }

    /// The maximum time that a query waits for the writer, which may itself wait for the disk or another process. After that, the reader
    /// computes the missing data.
    private static let patience = DispatchTimeInterval.seconds(1)

    /// Why a query is refused when too many others of its client wait.
    package static let overload = Problem.rateLimited(retryAfter: 3)

    private let queue = TurnQueue<String, Query>()
    private let most: Int
    private let isStopping = Flag()
    private let threads: WorkThreads
    private let settle: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// - Parameters:
    ///   - count: The number of threads.
    ///   - most: The maximum number of queries of one client that wait. Further ones are refused.
    ///   - appReportMaxAge: See `Queries.appReportMaxAge`.
    ///   - storeProblem: The problem of the store, which is shown with those of the journal.
    ///   - supportContact: See `Queries.supportContact`.
    ///   - candidateCache: The writer's candidates, which follow its edits.
    ///   - health: The last known health of devices; nil if there is no writer.
    ///   - phones: The writer's simulated phones; nil if there is no writer.
    ///   - areLong: Whether the queries may take minutes. Then the store is closed after each.
    ///   - settle: Calls its argument when everything that is committed now can be read; see `Writer.settle`. Nil if there is no writer.
    init(
        _ directory: DataDirectory, count: Int = 2, mostWaiting most: Int = .max, areLong: Bool = false,
        appReportMaxAge: Double = Settings.usualAppReportMaxAge,
        storeProblem: StoreProblem? = nil, supportContact: SupportContact? = nil,
        candidateCache: RegionCandidateCache = RegionCandidateCache(),
        health: HealthCache? = nil, phones: SimulatedPhones? = nil,
        clock: any WallClock = SystemClock(),
        settle: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.settle = settle
        self.most = most
        let (queue, isStopping) = (queue, isStopping)
        threads = WorkThreads("picket reader", count: count) {
            var service: ServiceReader?
            while let question = queue.takeNext() {
                if isStopping.value.load(ordering: .relaxed) || question.client.hasLeft() {
                    question.ask(.failure(.cancelled))
                    continue
                }
                do throws(Problem) {
                    let open =
                        if let service { service } else { try ServiceReader(directory, isSettled: settle == nil, clock: clock) }
                    open.appReportMaxAge = appReportMaxAge
                    open.storeProblem = storeProblem
                    open.supportContact = supportContact
                    open.candidateCache = candidateCache
                    if let phones { open.phones = phones }
                    let isWhole = settle != nil && question.isSettled
                    open.healthCache = isWhole ? health : nil
                    try open.refresh(isWhole: isWhole)
                    service = open.hasStore && !areLong ? open : nil
                    // What is computed for later queries, too, is not interrupted.
                    open.store.interrupt { [client = question.client] in
                        client.hasLeft() || isStopping.value.load(ordering: .relaxed)
                    }
                    question.ask(.success(open))
                    open.store.interrupt(when: nil)
                    // The restriction of the query could not be ended.
                    if open.isRestricted { service = nil }
                } catch {
                    service = nil
                    question.ask(.failure(error))
                }
            }
        }
    }

    /// Performs a query. `completion` is called with the answer on one of the readers' threads.
    ///
    /// - Parameter isContinued: Whether the query continues an answer that is being sent. It is not refused, because the answer would be cut.
    /// - Returns: False if too many queries of the client wait, or the readers were stopped; then `completion` is not called.
    package func submit<Result: Sendable>(
        for client: QueryClient = .service, continuing isContinued: Bool = false,
        _ body: @escaping @Sendable (Queries) throws(Problem) -> Result,
        _ completion: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        let question = Query(client: client) { service in
            let result: Swift.Result<Result, Problem>
            do throws(Problem) {
                result = .success(try service.get().restricted(to: client.scope, body))
            } catch {
                result = .failure(error)
            }
            completion(result)
        }
        guard isContinued || queue.count(of: client.name) < most else { return false }
        guard let settle else { return queue.add(question, of: client.name) }
        let isAsked = Flag()
        let ask: @Sendable (Bool) -> Void = { [queue] isSettled in
            guard !isAsked.value.exchange(true, ordering: .relaxed) else { return }
            var question = question
            question.isSettled = isSettled
            if !queue.add(question, of: client.name) { completion(.failure(.cancelled)) }
        }
        settle { ask(true) }
        if !isAsked.value.load(ordering: .relaxed) {
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { ask(false) }
        }
        return true
    }

    /// Performs a query and waits for the answer.
    ///
    /// - Throws: `Readers.overload` if too many queries of the client wait, and the problems of `body`.
    package func ask<Result: Sendable>(
        for client: QueryClient, _ body: @escaping @Sendable (Queries) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            if !submit(for: client, body, { continuation.resume(returning: $0) }) {
                continuation.resume(returning: .failure(isStopping.value.load(ordering: .relaxed) ? .cancelled : Self.overload))
            }
        }
        return try result.get()
    }

    /// Interrupts the queries that are performed and cancels those that wait, which all fail with `Problem.cancelled`, and ends the threads.
    func stop() {
        isStopping.value.store(true, ordering: .relaxed)
        queue.close()
        threads.join()
    }
}
