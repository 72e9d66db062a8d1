import Foundation
import Model
import Registry
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SimulatedOS

/// Tests the object that owns the phones' file while a service runs.
@Suite("Simulated phones", .timeLimit(.minutes(60)))
struct SimulatedPhonesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/os-registry.sqlite" }
    private let store = Committed()

    init() throws { directory = try TemporaryDirectory() }

    /// The positions that the service has committed, and what the owner of the phones reports.
    private final class Committed: Sendable {
        struct State {
            var fixes: [(device: Device, fix: Fix)] = []
            /// The number of positions that were recorded as shown to the phones when the process was killed.
            var shown: Int64 = 0
            /// The reports that the owner of the phones has passed on, in order.
            var reported: [(device: String, reports: [RegistryReport])] = []
            /// The codes of the problems that the owner of the phones has passed on.
            var failures: [String] = []
            /// The position numbers after which the owner of the phones has requested positions.
            var asked: [Int64?] = []
        }

        private let state = Mutex(State())

        var observer: PhoneObserver {
            PhoneObserver(
                reportsReceived: { device, reports in self.change { $0.reported.append((device.id, reports)) } },
                failed: { problem in self.change { $0.failures.append(problem.code) } },
                missing: { number in self.missing(number) })
        }

        func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

        /// Returns two positions at a time, so that there is more than one part.
        private func missing(_ number: Int64?) -> PhoneObserver.MissedPositions {
            change { state in
                state.asked.append(number)
                let start = Int(number ?? state.shown)
                let end = min(state.fixes.count, start + 2)
                let part = state.fixes[min(start, end)..<end]
                return .init(
                    part.map { .init($0.device, [$0.fix]) }, upTo: Int64(end), hasMore: end < state.fixes.count)
            }
        }
    }

    private let device = Device(id: "phone", platform: .ios, registry: .simulated)

    private func fix(_ seconds: Double, _ east: Double) -> Fix { Fix(time: Phone.at(seconds), coordinate: Phone.place(east)) }

    /// Commits a position, and passes it to the phones if they are given.
    private func commit(_ fix: Fix, _ phones: SimulatedPhones?) {
        let number = store.change { state in
            state.fixes.append((device, fix))
            return state.fixes.count
        }
        phones?.committed([.init(device, [fix])], upTo: Int64(number))
    }

    /// The time of the newest position that the phone has seen.
    private func newestFixTime(_ phones: SimulatedPhones) throws -> Instant? {
        try phones.phone(of: device, at: .earliest).lastFix?.time
    }

    @Test("Phones see positions in order, keep reports until they are removed, and say how far they have come")
    func inOrder() throws {
        let phones = SimulatedPhones(serving: path, store.observer)
        defer { phones.stop() }
        #expect(try phones.phone(of: device, at: Phone.noon).lastFix == nil)
        #expect(!FileManager.default.fileExists(atPath: path), "a question makes no file")
        try RegistryFile(path: path).change(device, at: Phone.noon) { os in
            do { try os.startMonitoring(Phone.region()) } catch { Issue.record(error) }
        }
        for (seconds, east) in [(0.0, 2000.0), (60, 0), (100, 0)] { commit(fix(seconds, east), phones) }
        #expect(try newestFixTime(phones) == Phone.at(100) && phones.shownUpTo == 3)
        let received = store.change { $0.reported }
        #expect(received.last?.reports.map(\.kind) == [.entered])
        commit(fix(110, 0), phones)
        #expect(try phones.phone(of: device, at: .earliest).waitingReports == received.last?.reports)
        #expect(store.change { $0.reported.last?.reports } == received.last?.reports, "reported again")
        phones.removeReports(received.last?.reports ?? [], of: device)
        #expect(try phones.phone(of: device, at: .earliest).waitingReports.isEmpty)
        // Positions of devices without a phone count as shown.
        phones.committed([], upTo: 9)
        #expect(phones.shownUpTo == 9)
    }

    @Test("Phones see the positions that an earlier run left out, each position once")
    func missed() throws {
        for (seconds, east) in [(0.0, 2000.0), (60, 0), (100, 0), (160, 2000), (200, 2000)] { commit(fix(seconds, east), nil) }
        try RegistryFile(path: path).change(device, at: Phone.noon) { os in
            do { try os.startMonitoring(Phone.region()) } catch { Issue.record(error) }
        }
        // Simulates a run that was killed after showing three positions, of which only the first was recorded as shown.
        _ = try RegistryFile(path: path).observe([.init(device, store.change { $0.fixes.prefix(3).map(\.fix) })])
        let before = try RegistryFile(path: path).phone(of: device, at: .earliest).waitingReports
        #expect(before.map(\.kind) == [.entered])
        store.change { $0.shown = 1 }
        let phones = SimulatedPhones(serving: path, store.observer)
        defer { phones.stop() }
        let os = try phones.phone(of: device, at: .earliest)
        #expect(os.lastFix?.time == Phone.at(200) && os.waitingReports.map(\.kind) == [.entered, .exited])
        #expect(store.change { $0.asked } == [nil, 3] && phones.shownUpTo == 5)
    }

    @Test("While another program locks the file, no position is lost, a query gets an error, and no request waits")
    func held() throws {
        let phones = SimulatedPhones(serving: path, store.observer)
        defer { phones.stop() }
        commit(fix(0, 0), phones)
        #expect(try newestFixTime(phones) == Phone.at(0))
        let other = try Connection(path: path, access: .write)
        try other.execute("BEGIN IMMEDIATE")
        for second in 1...50 { commit(fix(Double(second), 0), phones) }
        do {
            _ = try newestFixTime(phones)
            Issue.record("an answer without the newest positions")
        } catch let problem as Problem {
            #expect(problem.code == "storeBusy")
        }
        #expect(phones.shownUpTo == 1)
        try other.execute("COMMIT")
        var newest: Instant?
        while newest == nil { newest = try? newestFixTime(phones) }
        #expect(newest == Phone.at(50) && phones.shownUpTo == 51)
        #expect(store.change { $0.failures } == ["storeBusy"], "it is reported once")
    }

    @Test("A change by another process is noticed once, also of a file that it has made, and a change by the service is not")
    func foreignChanges() throws {
        let seen = Atomic(0)
        var observer = store.observer
        observer.othersChanged = { seen.add(1, ordering: .relaxed) }
        let phones = SimulatedPhones(serving: path, observer)
        defer { phones.stop() }
        func changes() throws -> Int {
            phones.checkForForeignChanges()
            // The answer follows the work that was added before.
            _ = try phones.phone(of: device, at: .earliest)
            return seen.load(ordering: .relaxed)
        }
        #expect(try changes() == 0)
        let other = try RegistryFile(path: path)
        for count in 1...3 {
            try other.change(device, at: Phone.at(Double(count))) { _ in }
            #expect(try changes() == count && changes() == count)
            try phones.onThisThread { file throws(Problem) in
                try file.change(device, at: Phone.at(Double(count) + 0.5)) { _ in }
            }
            #expect(try changes() == count)
        }
    }

    @Test("One unreadable phone does not keep positions from the others")
    func unreadable() throws {
        let other = Device(id: "other", platform: .ios, registry: .simulated)
        let file = try RegistryFile(path: path)
        for one in [device, other] { try file.change(one, at: Phone.noon) { $0.reboot() } }
        try file.connection.execute("UPDATE phone SET state = '{\"version\":9}' WHERE device = 'phone'")
        let phones = SimulatedPhones(serving: path, store.observer)
        defer { phones.stop() }
        phones.committed([.init(device, [fix(60, 0)]), .init(other, [fix(60, 0)])], upTo: 1)
        #expect(try phones.phone(of: other, at: .earliest).lastFix?.time == Phone.at(60))
        #expect(throws: Problem.self) { try phones.phone(of: device, at: .earliest) }
        #expect(store.change { $0.failures } == ["storeCorrupt"] && phones.shownUpTo == 1)
    }

    @Test("A device whose platform changes gets a new phone")
    func otherPlatform() throws {
        let file = try RegistryFile(path: path)
        try file.change(device, at: Phone.noon) { $0.reboot() }
        let android = Device(id: "phone", platform: .android, registry: .simulated)
        #expect(try file.phone(of: android, at: Phone.noon).profile.platform == .android)
        try file.change(android, at: Phone.noon) { $0.authorize(.denied) }
        #expect(try file.phone(of: android, at: Phone.noon).settings.authorization == .denied)
    }
}
