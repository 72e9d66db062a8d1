import Dispatch
import Model
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import SQLite
@testable import Service
@testable import Store

@Suite("Turns of clients at the readers")
struct ReaderTurnTests {
    /// One reader, which a query keeps busy until it is released.
    private final class Bench: Sendable {
        let directory: TemporaryDirectory
        let readers: Readers
        private let gate = DispatchSemaphore(value: 0)
        private let answers = DispatchGroup()
        let performed = Mutex<[String]>([])
        let failures = Mutex<[Problem]>([])

        init(mostWaiting: Int = .max) async throws {
            directory = try TemporaryDirectory()
            readers = Readers(DataDirectory(path: directory.path), count: 1, mostWaiting: mostWaiting)
            let gate = gate
            await withCheckedContinuation { continuation in
                _ = readers.submit({ _ in
                    continuation.resume()
                    gate.wait()
                }) { (_: Result<Void, Problem>) in }
            }
        }

        deinit { readers.stop() }

        /// Submits a query that records its client.
        func submit(for client: QueryClient, continuing isContinued: Bool = false) -> Bool {
            answers.enter()
            let isTaken = readers.submit(
                for: client, continuing: isContinued, { _ in self.performed.withLock { $0.append(client.name) } },
                { result in
                    if case .failure(let problem) = result { self.failures.withLock { $0.append(problem) } }
                    self.answers.leave()
                })
            if !isTaken { answers.leave() }
            return isTaken
        }

        /// Lets the reader continue, and waits for all answers.
        func release() async {
            gate.signal()
            await withCheckedContinuation { continuation in answers.notify(queue: .global()) { continuation.resume() } }
        }
    }

    private let eager = QueryClient(scope: nil, name: "eager")
    private let other = QueryClient(scope: nil, name: "other")

    @Test("A hundred queries of one client delay the query of another one by one query")
    func turns() async throws {
        let bench = try await Bench()
        for _ in 0..<100 { #expect(bench.submit(for: eager)) }
        #expect(bench.submit(for: other))
        await bench.release()
        let performed = bench.performed.withLock { $0 }
        #expect(performed.count == 101 && performed.firstIndex(of: "other") == 1)
    }

    @Test("A client with too many waiting queries is refused, and others are not")
    func limit() async throws {
        let bench = try await Bench(mostWaiting: 2)
        #expect(bench.submit(for: eager) && bench.submit(for: eager) && !bench.submit(for: eager))
        #expect(bench.submit(for: other))
        // The rest of an answer is not refused.
        #expect(bench.submit(for: eager, continuing: true))
        await bench.release()
        #expect(bench.performed.withLock { $0 } == ["eager", "other", "eager", "eager"])
    }

    @Test("A waiting query is not performed when its client has left")
    func left() async throws {
        let bench = try await Bench()
        let hasLeft = Flag()
        let client = QueryClient(scope: nil, name: "eager") { hasLeft.value.load(ordering: .relaxed) }
        #expect(bench.submit(for: client) && bench.submit(for: other))
        hasLeft.value.store(true, ordering: .relaxed)
        await bench.release()
        #expect(bench.performed.withLock { $0 } == ["other"])
        #expect(bench.failures.withLock { $0 } == [.cancelled])
    }

    @Test("A running query is interrupted when its client leaves, and the reader answers the next one")
    func interrupted() async throws {
        let bench = try await Bench()
        await bench.release()
        // The client is there when the query begins.
        let questions = Mutex(0)
        let client = QueryClient(scope: nil, name: "eager") {
            questions.withLock { count in
                count += 1
                return count > 1
            }
        }
        let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT count(*) FROM n"
        await #expect(throws: Problem.cancelled) {
            _ = try await bench.readers.ask(for: client) { service throws(Problem) in
                try service.store.attempt { () throws(SQLiteError) in
                    try service.store.connection.statement(count).value(Int.self)
                }
            }
        }
        // A query of a client that stays is not interrupted.
        let counted = try await bench.readers.ask(for: other) { service throws(Problem) in
            try service.store.attempt { () throws(SQLiteError) in
                try service.store.connection.statement(count.replacing("20000000", with: "300000")).value(Int.self)
            }
        }
        #expect(counted == 300_000)
    }
}
