import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Senders

@Suite("Resolving names", .timeLimit(.minutes(60)))
struct NameResolverTests {
    /// A name server under the test's control. Names that begin with "slow" are answered when the test says so.
    private final class NameServer: Sendable {
        private struct State {
            var answers: [String: NameResolver.Answer] = [:]
            var asked: [String] = []
            var time = 1000.0
            var isReleased = false
        }

        private let state = Mutex(State())
        private let changed = NSCondition()

        func answer(_ name: String, _ answer: NameResolver.Answer) { state.withLock { $0.answers[name] = answer } }
        func advance(_ seconds: Double) { state.withLock { $0.time += seconds } }
        var asked: [String] { state.withLock { $0.asked } }

        func hold() { state.withLock { $0.isReleased = false } }

        func release() {
            changed.withLock {
                state.withLock { $0.isReleased = true }
                changed.broadcast()
            }
        }

        /// Waits until this many names were requested. Returns false when the time is over.
        func wait(for count: Int) -> Bool {
            let end = Date(timeIntervalSinceNow: Watchdog.seconds)
            return changed.withLock {
                while asked.count < count { guard changed.wait(until: end) else { return false } }
                return true
            }
        }

        func resolver() -> NameResolver {
            NameResolver(
                lookUp: { name in
                    self.changed.withLock {
                        self.state.withLock { $0.asked.append(name) }
                        self.changed.broadcast()
                        while name.hasPrefix("slow"), !self.state.withLock({ $0.isReleased }) { self.changed.wait() }
                        return self.state.withLock { $0.answers[name] ?? .failure(.init(message: "none", isTemporary: false)) }
                    }
                }, time: { self.state.withLock { $0.time } })
        }
    }

    /// The answers that a resolver has given, and a way to wait for them.
    private final class Answers: Sendable {
        private let all = Mutex<[String: NameResolver.Answer]>([:])
        private let news = DispatchSemaphore(value: 0)

        func ask(_ resolver: NameResolver, _ name: String) {
            let known = resolver.resolve(name) { answer in
                self.all.withLock { $0[name] = answer }
                self.news.signal()
            }
            if let known {
                all.withLock { $0[name] = known }
                news.signal()
            }
        }

        /// The addresses of a name, when they are known; nil for a failure.
        func addresses(_ name: String) -> [String]? {
            let end = DispatchTime.now() + Watchdog.seconds
            while true {
                if let answer = all.withLock({ $0.removeValue(forKey: name) }) { return try? answer.get() }
                if news.wait(timeout: end) == .timedOut {
                    Issue.record("no answer for \(name)")
                    return nil
                }
            }
        }
    }

    @Test("Addresses are kept for a minute, and then still used while they are looked up again")
    func freshness() {
        let server = NameServer()
        server.answer("a", .success(["192.0.2.1"]))
        let (resolver, answers) = (server.resolver(), Answers())
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"])
        server.answer("a", .success(["192.0.2.2"]))
        server.advance(59)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"] && server.asked.count == 1)
        server.advance(2)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"] && server.wait(for: 2))
        // After another minute the addresses of the second lookup are old too, and are used while they are looked up again.
        while resolver.resolve("a", { _ in }).flatMap({ try? $0.get() }) != ["192.0.2.2"] { sched_yield() }
        server.advance(3601)
        server.answer("a", .success(["192.0.2.3"]))
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.3"])
    }

    @Test("A failure is kept for five seconds, and does not end the use of known addresses unless the name is gone")
    func failures() {
        let server = NameServer()
        let (resolver, answers) = (server.resolver(), Answers())
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == nil)
        server.answer("a", .success(["192.0.2.1"]))
        server.advance(4)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == nil && server.asked.count == 1)
        server.advance(2)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"])
        server.answer("a", .failure(.init(message: "try again", isTemporary: true)))
        server.advance(120)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"] && server.wait(for: 3))
        server.advance(10)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"])
        server.answer("a", .failure(.init(message: "no such name", isTemporary: false)))
        server.advance(10)
        answers.ask(resolver, "a")
        #expect(answers.addresses("a") == ["192.0.2.1"])
        while resolver.resolve("a", { _ in }).map({ (try? $0.get()) == nil }) != true {
            server.advance(1)
            sched_yield()
        }
    }

    @Test("A thousand names that are not answered occupy a few threads")
    func bounded() {
        let server = NameServer()
        let (resolver, answers) = (server.resolver(), Answers())
        let slow = (0..<1000).map { "slow\($0)" }
        for name in slow { answers.ask(resolver, name) }
        #expect(server.wait(for: NameResolver.threadCount))
        #expect(server.asked.count == NameResolver.threadCount)
        server.release()
        for name in slow { #expect(answers.addresses(name) == nil) }
        #expect(server.asked.count == 1000)
    }

    @Test("A name that once worked does not wait for names that failed last time")
    func lanes() {
        let server = NameServer()
        server.answer("well", .success(["192.0.2.1"]))
        let (resolver, answers) = (server.resolver(), Answers())
        let slow = (0..<20).map { "slow\($0)" }
        server.release()
        for name in slow { answers.ask(resolver, name) }
        for name in slow { #expect(answers.addresses(name) == nil) }
        server.hold()
        server.advance(10)
        for name in slow { answers.ask(resolver, name) }
        #expect(server.wait(for: 20 + NameResolver.threadCount))
        answers.ask(resolver, "well")
        #expect(answers.addresses("well") == ["192.0.2.1"])
        #expect(server.asked.count == 20 + NameResolver.threadCount + 1)
        server.release()
    }

    @Test("Many that wait for one name cause one lookup, and a stop answers those that wait")
    func together() {
        let server = NameServer()
        let resolver = server.resolver()
        let failed = DispatchSemaphore(value: 0)
        for _ in 0..<100 { #expect(resolver.resolve("slow") { if case .failure = $0 { failed.signal() } } == nil) }
        #expect(server.wait(for: 1))
        resolver.stop()
        for _ in 0..<100 { #expect(failed.wait(timeout: .now() + Watchdog.seconds) == .success) }
        #expect(server.asked == ["slow"])
        #expect(resolver.resolve("other") { _ in } != nil)
        server.release()
    }

    @Test("The system's resolver knows this machine, and not what does not exist")
    func system() throws {
        let addresses = try NameResolver.askSystem("localhost").get()
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        guard case .failure = NameResolver.askSystem("no-such-host.invalid") else {
            Issue.record("it has an address")
            return
        }
    }

    @Test(
        "Only names that need a query are resolved",
        arguments: [
            ("http://example.com/a", "example.com:80"), ("https://example.com", "example.com:443"),
            ("https://u:p@Example.com:8443/x", "Example.com:8443"), ("smtp://mail.example.com", "mail.example.com:25"),
            ("http://127.0.0.1:80/", nil), ("http://[::1]/", nil), ("http://2130706433/", nil), ("http://localhost:1/", nil),
            ("http://x.LOCALHOST/", nil), ("nonsense", nil),
        ] as [(String, String?)])
    func hosts(_ url: String, _ expected: String?) {
        let host = URLHost(url)
        #expect(host.map { "\($0.name):\($0.port)" } == expected)
        guard let host else { return }
        let resolved = ResolvedHost(host: host, addresses: ["192.0.2.1", "2001:db8::1"])
        #expect(resolved.description == "+\(host.name):\(host.port):192.0.2.1,[2001:db8::1]")
    }
}
