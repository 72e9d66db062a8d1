import Delivery
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Workers

@testable import Senders

@Suite("Threads of many sinks", .timeLimit(.minutes(60)))
struct ManySinksTests {
    private static let count = 1000

    private static func json(_ kind: String, _ number: Int) -> String {
        let target =
            switch kind {
            case "command": #""command":["/bin/true"]"#
            case "file": #""path":"/dev/null""#
            case "mqtt": #""url":"mqtt://broker-\#(number).invalid""#
            default: #""server":"smtp://127.0.0.1","from":"a@example.org","to":["b@example.org"]"#
            }
        return #"{"id":"\#(kind)-\#(number)","kind":"\#(kind)",\#(target)}"#
    }

    /// Results of sending, in any order.
    private final class Results: Sendable {
        private let all = Mutex<[SendResult]>([])
        private let news = DispatchSemaphore(value: 0)

        func add(_ result: SendResult) {
            all.withLock { $0.append(result) }
            news.signal()
        }

        func wait(for count: Int) -> [SendResult] {
            for _ in 0..<count where news.wait(timeout: .now() + Watchdog.seconds) == .timedOut {
                Issue.record("not every message has a result")
                break
            }
            return all.withLock { $0 }
        }
    }

    /// Counts how much runs at once.
    private final class Gauge: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func end() { counts.withLock { $0.now -= 1 } }
    }

    @Test(
        "A thousand sinks without work need no thread, and all of them work at once with a limited number",
        arguments: ["command", "file", "email"])
    func limited(_ kind: String) throws {
        let bench = try SenderBench()
        let sinks = try (0..<Self.count).map { try SenderBench.sink(Self.json(kind, $0)) }
        let senders = sinks.map { bench.senders.sender(for: $0) }
        #expect(bench.senders.threadCount == 0)
        if kind == "email" {
            #expect(senders.allSatisfy { ($0 as? MailSender)?.isActive == false })
            return
        }
        let results = Results()
        var most = 0
        for (sink, sender) in zip(sinks, senders) {
            let message = try #require(try MessageComposer(sink, zone: .utc).message(for: SenderBench.event()))
            sender.send(message) { results.add($0) }
            most = max(most, bench.senders.threadCount)
        }
        let all = results.wait(for: Self.count)
        #expect(all.count == Self.count && all.allSatisfy { $0.outcome == .delivered }, "\(all.first.debugDescription)")
        #expect(most <= Senders.maximumThreads)
        for sender in senders { sender.stop() }
    }

    @Test("A thousand brokers whose names are not answered need the threads of the resolver only, and one query each")
    func unknownBrokers() throws {
        let gate = DispatchSemaphore(value: 0)
        let asked = Mutex<[String]>([])
        let gauge = Gauge()
        let resolver = NameResolver(lookUp: { name in
            asked.withLock { $0.append(name) }
            gauge.begin()
            gate.wait()
            gauge.end()
            return .failure(.init(message: "none", isTemporary: false))
        })
        let bench = try SenderBench(resolver: resolver)
        let results = Results()
        let sinks = try (0..<Self.count).map { try SenderBench.sink(Self.json("mqtt", $0)) }
        let senders = sinks.map { bench.senders.sender(for: $0) }
        for (sink, sender) in zip(sinks, senders) {
            // Both wait for the same query.
            for number in 0..<2 {
                let message = try #require(try MessageComposer(sink, zone: .utc).message(for: SenderBench.event("e\(number)")))
                sender.send(message) { results.add($0) }
            }
        }
        for _ in 0..<Self.count { gate.signal() }
        let all = results.wait(for: 2 * Self.count)
        #expect(all.count == 2 * Self.count)
        for result in all {
            // A name that has waited too long is not reached in time; the others are not known.
            guard case .retry(let problem, _) = result.outcome, ["noConnection", "timeout"].contains(problem.code) else {
                Issue.record("\(result.outcome)")
                break
            }
        }
        #expect(gauge.most <= 8)
        #expect(asked.withLock { Set($0).count == $0.count })
        for sender in senders { sender.stop() }
    }

    @Test("A pool has no more threads than its maximum, begins work in order, and ends threads without work", arguments: [1, 3])
    func pool(maximum: Int) {
        let pool = WorkPool("test", maximum: maximum, patience: 0)
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Mutex<[Int]>([])
        for number in 0..<100 {
            pool.run {
                order.withLock { $0.append(number) }
                gate.wait()
                done.signal()
            }
        }
        #expect(pool.threadCount == maximum)
        for _ in 0..<100 { gate.signal() }
        for _ in 0..<100 { #expect(done.wait(timeout: .now() + Watchdog.seconds) == .success) }
        let began = order.withLock { $0 }
        #expect(maximum == 1 ? began == Array(0..<100) : began.sorted() == Array(0..<100))
        #expect(Watchdog.wait { pool.threadCount == 0 })
    }

    @Test("The queue of an owner does a limited number of works at once, in batches, and everything before it has ended")
    func queue() {
        let pool = WorkPool("test", maximum: 8)
        let done = Mutex<[Int]>([])
        let gauge = Gauge()
        let queue = PooledQueue<Int>(pool, limit: 2, batch: 5) { works in
            gauge.begin()
            #expect(works.count <= 5)
            done.withLock { $0 += works }
            gauge.end()
        }
        for number in 0..<1000 { #expect(queue.add(number)) }
        queue.close()
        #expect(!queue.add(1000))
        queue.join()
        #expect(done.withLock { $0.sorted() } == Array(0..<1000))
        #expect(gauge.most <= 2)
    }
}
