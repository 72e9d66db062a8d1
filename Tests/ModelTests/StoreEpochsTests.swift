import Model
import TestSupport
import Testing

@Suite("Store epochs")
struct StoreEpochsTests {
    private let noon = Instant("2026-05-01T12:00:00Z")!

    /// A store with 18 events in its backup, and with 20 events when that backup was restored.
    private func restored() throws -> StoreEpochs {
        let first = try #require(StoreEpochs([StoreEpoch(id: "a")]))
        return try #require(StoreEpochs(first.next("b", newest: 18, inPlaceOf: (first.all, 20), at: noon)))
    }

    private func problem(_ epochs: StoreEpochs, _ cursor: String, newest: Int64) throws -> Problem? {
        let cursor = try #require(EventCursor(cursor))
        do {
            try epochs.check(cursor, newest: newest)
            return nil
        } catch {
            return error
        }
    }

    private func gone(_ epochs: StoreEpochs, _ cursor: String, newest: Int64) throws -> [String] {
        guard case .cursorGone(_, let reason, let resume, _) = try problem(epochs, cursor, newest: newest) else { return [] }
        return [reason.rawValue, resume.description]
    }

    @Test("A new epoch continues from the clock, beyond all earlier numbers")
    func start() throws {
        let epochs = try restored()
        #expect(epochs.current.start == noon.milliseconds && epochs.current.branch == 18)
        #expect(epochs.store == "a" && epochs.restores == 1)
        #expect(epochs.unused == [19...noon.milliseconds])
        // The clock has lost its time.
        let again = try #require(
            StoreEpochs(epochs.next("c", newest: 18, inPlaceOf: nil, at: Instant(milliseconds: 0))))
        #expect(again.current.start == noon.milliseconds + 1_000_000_000)
        // Two restores at the same time.
        let twice = try #require(StoreEpochs(epochs.next("c", newest: 18, inPlaceOf: nil, at: noon)))
        #expect(twice.current.start == noon.milliseconds + 1)
    }

    @Test("A reader within the store's history continues")
    func known() throws {
        let epochs = try restored()
        let start = epochs.current.start
        for cursor in ["0", "1", "18", "18-a", "7-b", "\(start)-b", "\(start)", "\(start + 2)", "\(start + 2)-b", "0-ffff"] {
            #expect(try problem(epochs, cursor, newest: start + 2) == nil, "\(cursor)")
        }
    }

    @Test("A reader beyond the restored event gets the number to continue from")
    func beyondRestoredEvent() throws {
        let epochs = try restored()
        let newest = epochs.current.start + 2
        for cursor in ["19", "20", "20-a", "500"] {
            #expect(try gone(epochs, cursor, newest: newest) == ["setBack", "18-b"], "\(cursor)")
        }
    }

    @Test("A reader of another store, or beyond the newest event, is asked to start again")
    func elsewhere() throws {
        let first = try #require(StoreEpochs([StoreEpoch(id: "a")]))
        #expect(try gone(first, "5-ffff", newest: 18) == ["otherStore", "0-a"])
        #expect(try gone(first, "20", newest: 18) == ["beyondNewest", "0-a"])
        #expect(try gone(first, "20-a", newest: 18) == ["beyondNewest", "0-a"])
        let epochs = try restored()
        let start = epochs.current.start
        #expect(try gone(epochs, "\(start + 3)-b", newest: start + 2) == ["beyondNewest", "\(start)-b"])
        #expect(try gone(epochs, "\(start + 3)", newest: start + 2) == ["beyondNewest", "0-b"])
    }

    @Test("After another store was replaced, a reader with a bare number is asked to start again")
    func replaced() throws {
        let first = try #require(StoreEpochs([StoreEpoch(id: "a")]))
        let epochs = try #require(
            StoreEpochs(first.next("c", newest: 18, inPlaceOf: ([StoreEpoch(id: "b")], 25), at: noon)))
        let newest = epochs.current.start
        #expect(try gone(epochs, "20", newest: newest) == ["otherStore", "0-c"])
        #expect(try gone(epochs, "20-a", newest: newest) == ["setBack", "18-c"])
        #expect(try gone(epochs, "20-b", newest: newest) == ["otherStore", "0-c"])
    }

    @Test("Epochs that do not form a tree are refused")
    func noTree() {
        #expect(StoreEpochs([]) == nil)
        #expect(StoreEpochs([StoreEpoch(id: "b", parent: "a", branch: 1, start: 5)]) == nil)
        #expect(StoreEpochs([StoreEpoch(id: "a"), StoreEpoch(id: "a")]) == nil)
    }

    // MARK: - Histories

    /// A model of a store: its epochs and its events, each with a unique name.
    private struct Store {
        var epochs: StoreEpochs
        var events: [(number: Int64, name: Int)] = []
        var newest: Int64 { max(events.last?.number ?? 0, epochs.current.start) }
    }

    /// A reader's cursor, and the names of the events that it has read.
    private struct Reader {
        var cursor: EventCursor
        var names: [Int]
    }

    /// The first epoch before that of a cursor; nil when it is unknown.
    private func origin(of cursor: EventCursor, in epochs: StoreEpochs) -> String? {
        var epoch = epochs.all.first { $0.id == cursor.epoch }
        while let parent = epoch?.parent { epoch = epochs.all.first { $0.id == parent } }
        return epoch?.id
    }

    @Test(
        "No reader misses an event, however stores are restored from each other's backups",
        arguments: 1...200 as ClosedRange<UInt64>)
    func histories(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var now = noon
        var count = 0
        var lives = 0
        func newStore() throws -> Store {
            lives += 1
            return Store(epochs: try #require(StoreEpochs([StoreEpoch(id: "a\(lives)")])))
        }
        var stores = [try newStore(), try newStore()]
        var backups: [Store] = []
        var readers: [Reader] = []
        var given: [String: [Int64: Int]] = [:]
        for _ in 0..<60 {
            now = now + Double(Int.random(in: 1...100_000, using: &random))
            let place = stores.indices.randomElement(using: &random)!
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    count += 1
                    let number = stores[place].newest + 1
                    stores[place].events.append((number, count))
                    // No number is used twice in all stores with the same origin.
                    let taken = given[stores[place].epochs.store, default: [:]].updateValue(count, forKey: number)
                    #expect(taken == nil, "seed \(seed): \(number) twice")
                }
            case 5: backups.append(stores[place])
            case 6, 7:
                guard let backup = backups.randomElement(using: &random) else { continue }
                lives += 1
                let old = stores[place]
                let isKnown = Bool.random(using: &random)
                stores[place].events = backup.events
                stores[place].epochs = try #require(
                    StoreEpochs(
                        backup.epochs.next(
                            "b\(lives)", newest: backup.newest, inPlaceOf: isKnown ? (old.epochs.all, old.newest) : nil,
                            at: now)))
            case 8:
                if Int.random(in: 0..<6, using: &random) == 0 { stores[place] = try newStore() }
            default:
                let store = stores[place]
                let read = Int.random(in: 0...store.events.count, using: &random)
                let number = read == 0 ? 0 : read == store.events.count ? store.newest : store.events[read - 1].number
                readers.append(Reader(cursor: store.epochs.cursor(number), names: store.events.prefix(read).map(\.name)))
            }
            let store = stores[place]
            for reader in readers {
                // The oracle: the events that both have in common, from the beginning.
                let common = zip(reader.names, store.events).prefix { $0 == $1.name }.count
                let isWhole = common == reader.names.count
                do {
                    let place = try store.epochs.check(reader.cursor, newest: store.newest)
                    #expect(isWhole, "seed \(seed): \(reader.cursor) is let on, and misses events")
                    let next = store.events.first { $0.number > place }
                    #expect(next?.name == store.events.dropFirst(common).first?.name, "seed \(seed): \(reader.cursor)")
                } catch {
                    guard case .cursorGone(_, let reason, let resume, _) = error else { throw error }
                    let rest = store.events.filter { $0.number > resume.sequence }.map(\.name)
                    let needed = store.events.dropFirst(common).map(\.name)
                    #expect(rest.count >= needed.count, "seed \(seed): \(reader.cursor) to \(resume) misses events")
                    if reason == .restored {
                        #expect(rest == Array(needed), "seed \(seed): \(reader.cursor) to \(resume) tells what is known")
                        #expect(!isWhole, "seed \(seed): \(reader.cursor) is sent back for nothing")
                    }
                    try store.epochs.check(resume, newest: store.newest)
                }
                // A bare number is recognized if it comes from an epoch of the same origin that the store knows.
                if origin(of: reader.cursor, in: store.epochs) == store.epochs.store {
                    do {
                        let place = try store.epochs.check(
                            EventCursor(reader.cursor.sequence, of: nil), newest: store.newest)
                        #expect(isWhole, "seed \(seed): \(reader.cursor.sequence) is let on, and misses events")
                        let next = store.events.first { $0.number > place }
                        #expect(next?.name == store.events.dropFirst(common).first?.name, "seed \(seed): \(place)")
                    } catch {
                        guard case .cursorGone(_, _, let resume, _) = error else { throw error }
                        let rest = store.events.count { $0.number > resume.sequence }
                        #expect(rest >= store.events.count - common, "seed \(seed): \(reader.cursor.sequence) to \(resume)")
                    }
                }
            }
        }
    }
}
