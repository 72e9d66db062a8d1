import Geodesy
import Model
import TestSupport
import Testing

@testable import Store

/// Orders the fixes of a store in passes that are interrupted, repeated and overtaken, and compares the store with a list of its expected
/// content.
@Suite("Order of fixes by device and time")
struct FixOrderTests {
    private final class History {
        private let path: String
        private(set) var store: PicketStore
        private var random: SeededRandom
        private var keys: [DeviceKey] = []
        /// By device: the times and latitudes, in the order in which they were stored.
        private(set) var expected: [[(time: Int64, latitude: Double)]]
        private var pass: FixOrderPass?
        private var count = 0
        /// The number of passes that were interrupted or that met a removed fix.
        private(set) var interruptions = 0

        /// The number of searches for fixes that were answered while fixes were not in order.
        private(set) var unorderedSearches = 0
        /// The number of searches that needed the order.
        private(set) var refusedSearches = 0

        init(_ path: String, seed: UInt64) throws {
            self.path = path
            random = SeededRandom(seed: seed)
            store = try Self.open(path)
            expected = Array(repeating: [], count: 6)
            for number in expected.indices { keys.append(try store.saveDevice(Device(id: "d\(number)"), in: Transaction())) }
        }

        /// Opens the store with small limits, so that all of them are reached.
        private static func open(_ path: String) throws -> PicketStore {
            let store = try PicketStore(writing: path)
            store.unorderedIndex = UnorderedFixIndex(blockSize: 16, maximumBlocks: 5)
            store.mostFixesToIndex = 50
            return store
        }

        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        func step() throws {
            switch number(0...9) {
            case 0...2: try append(number(1...30))
            case 3:
                // A transaction that fails frees the numbers of its fixes.
                let before = (expected, count)
                do { try append(number(1...30), thenFailing: true) } catch is Problem {}
                expected = before.0
            case 4: try begin()
            case 5, 6: try continuePass()
            case 7:
                if number(0...3) == 0 { try restart() } else { try store.orderFixes(atMost: number(1...40), in: Transaction()) }
            default:
                if number(0...4) == 0 { try removeOne() }
            }
        }

        private func append(_ most: Int, thenFailing: Bool = false) throws {
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                for _ in 0..<most {
                    let device = number(0...expected.count - 1)
                    count += 1
                    let fix = Fix(
                        time: Instant(milliseconds: Int64(number(0...40)) * 1000),
                        coordinate: Coordinate(latitude: Double(count) / 1000, longitude: 1))
                    try store.append(fix, of: keys[device], revision: 0, evaluation: .onReceipt, attributes: nil, in: transaction)
                    expected[device].append((fix.time.milliseconds, fix.coordinate.latitude))
                }
                if thenFailing { throw .cancelled }
            }
        }

        /// Begins a pass that sorts concurrently with the writer, like a running service.
        private func begin() throws {
            let reader = try PicketStore(reading: path)
            let removals = store.fixRemovals
            pass = try reader.snapshot { () throws(Problem) in try reader.fixOrderPass(removals: removals) }
        }

        private func continuePass() throws {
            guard var next = pass else { return }
            if number(0...5) == 0 {
                // A step that fails changes nothing.
                _ = try? store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try store.order(&next, atMost: number(1...20), in: transaction)
                    throw .cancelled
                }
                pass = nil
                interruptions += 1
                return
            }
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.order(&next, atMost: number(1...20), in: transaction)
            }
            pass = next.isDone ? nil : next
        }

        private func removeOne() throws {
            let device = number(0...expected.count - 1)
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.remove(keys[device], in: transaction)
            }
            expected[device] = []
            keys[device] = try store.saveDevice(Device(id: "d\(device)"), in: Transaction())
            if pass != nil { interruptions += 1 }
        }

        private func restart() throws {
            // What a pass has sorted in memory is lost with the process, but its progress in the store is not.
            if pass != nil { interruptions += 1 }
            pass = nil
            store = try Self.open(path)
        }

        /// Searches for a random fix, known or not, and returns whether the answer is right.
        func findsRandomFix() throws -> Bool {
            let device = number(0...expected.count - 1)
            let latitude = Double(number(1...max(1, count))) / 1000
            let known = expected[device].first { $0.latitude == latitude }
            let time = known?.time ?? Int64(number(0...40)) * 1000
            let isOrdered = try store.unorderedFixCount() == 0
            let fix = Fix(
                time: Instant(milliseconds: time), coordinate: Coordinate(latitude: latitude, longitude: 1))
            let progress = try store.fixOrderProgress()
            do {
                let isFound = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try store.contains(fix, of: keys[device])
                }
                if !isOrdered { unorderedSearches += 1 }
                return isFound == (known != nil)
            } catch {
                // A search puts nothing in order itself.
                guard error == .cancelled, store.takeOrderRequest(), try store.fixOrderProgress() == progress else {
                    return false
                }
                refusedSearches += 1
                try store.orderFixes(in: Transaction())
                return try store.contains(fix, of: keys[device]) == (known != nil)
            }
        }

        func track(_ device: Int) throws -> [Double] {
            try store.track(of: keys[device], since: nil, until: nil, after: nil, limit: 100_000).map(\.fix.coordinate.latitude)
        }

        func expectedTrack(_ device: Int) -> [Double] {
            expected[device].enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
                .map(\.element.latitude)
        }

        func oldest(_ device: Int) throws -> Int64? { try store.oldestFixes(of: [keys[device]])[keys[device]]?.milliseconds }
        func key(_ device: Int) -> DeviceKey { keys[device] }
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("The order names every fix once, regardless of what interrupts its passes")
    func histories() throws {
        // A history may by chance have no interruption.
        var (interruptions, unorderedSearches, refusedSearches) = (0, 0, 0)
        for seed in Histories.seeds(1...30) {
            let history = try run(seed)
            interruptions += history.interruptions
            unorderedSearches += history.unorderedSearches
            refusedSearches += history.refusedSearches
        }
        #expect(interruptions >= Histories.share(of: 60, for: 1...30))
        #expect(unorderedSearches >= Histories.share(of: 600, for: 1...30))
        #expect(refusedSearches >= Histories.share(of: 30, for: 1...30))
    }

    private func run(_ seed: UInt64) throws -> History {
        let history = try History(directory.path + "/\(seed).sqlite", seed: seed)
        for step in 0..<120 {
            try history.step()
            for device in history.expected.indices {
                let expected = history.expectedTrack(device)
                try #require(try history.track(device) == expected, "seed \(seed), step \(step), device \(device)")
                #expect(try history.oldest(device) == history.expected[device].map(\.time).min())
                #expect(
                    try history.store.fixCount(of: history.key(device), before: .earliest).all == expected.count,
                    "seed \(seed), step \(step)")
            }
            // Some searches need the order, which ends a pass.
            if step % 3 == 0 {
                for _ in 0..<4 { #expect(try history.findsRandomFix(), "seed \(seed), step \(step)") }
            }
            var flaws = StoreFlaws()
            try history.store.findOrderFlaws(&flaws)
            try #require(flaws.count == 0, "seed \(seed), step \(step): \(flaws.first)")
        }
        try history.store.orderFixes(in: Transaction())
        #expect(try history.store.fixOrderPass() == nil)
        for device in history.expected.indices {
            #expect(try history.track(device) == history.expectedTrack(device), "seed \(seed)")
        }
        return history
    }
}
