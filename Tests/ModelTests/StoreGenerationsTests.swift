import Model
import TestSupport
import Testing

@Suite("Store generations")
struct StoreGenerationsTests {
    private let noon = Instant("2026-05-01T12:00:00Z")!

    /// A store with 18 events in its backup, and with 20 events when that backup was restored.
    private func restored() throws -> StoreGenerations {
        let first = try #require(StoreGenerations([StoreGeneration(id: "a")]))
        return try #require(StoreGenerations(first.next("b", newest: 18, inPlaceOf: (first.all, 20), at: noon)))
    }

    private func problem(_ generations: StoreGenerations, _ cursor: String, newest: Int64) throws -> Problem? {
        let cursor = try #require(EventCursor(cursor))
        do {
            try generations.check(cursor, newest: newest)
            return nil
        } catch {
            return error
        }
    }

    private func gone(_ generations: StoreGenerations, _ cursor: String, newest: Int64) throws -> [String] {
        guard case .cursorGone(_, let reason, let resume, _) = try problem(generations, cursor, newest: newest) else { return [] }
        return [reason.rawValue, resume.description]
    }

    @Test("A new generation continues from the clock, beyond all earlier numbers")
    func start() throws {
        let generations = try restored()
        #expect(generations.current.start == noon.milliseconds && generations.current.branch == 18)
        #expect(generations.store == "a" && generations.restores == 1)
        #expect(generations.unused == [19...noon.milliseconds])
        // The clock has lost its time.
        let again = try #require(
            StoreGenerations(generations.next("c", newest: 18, inPlaceOf: nil, at: Instant(milliseconds: 0))))
        #expect(again.current.start == noon.milliseconds + 1_000_000_000)
        // Two restores at the same time.
        let twice = try #require(StoreGenerations(generations.next("c", newest: 18, inPlaceOf: nil, at: noon)))
        #expect(twice.current.start == noon.milliseconds + 1)
    }

    @Test("A reader within the store's history continues")
    func known() throws {
        let generations = try restored()
        let start = generations.current.start
        for cursor in ["0", "1", "18", "18-a", "7-b", "\(start)-b", "\(start)", "\(start + 2)", "\(start + 2)-b", "0-ffff"] {
            #expect(try problem(generations, cursor, newest: start + 2) == nil, "\(cursor)")
        }
    }

    @Test("A reader beyond the restored event gets the number to continue from")
    func setBack() throws {
        let generations = try restored()
        let newest = generations.current.start + 2
        for cursor in ["19", "20", "20-a", "500"] {
            #expect(try gone(generations, cursor, newest: newest) == ["setBack", "18-b"], "\(cursor)")
        }
    }

    @Test("A reader of another store, or beyond the newest event, is asked to start again")
    func elsewhere() throws {
        let first = try #require(StoreGenerations([StoreGeneration(id: "a")]))
        #expect(try gone(first, "5-ffff", newest: 18) == ["otherStore", "0-a"])
        #expect(try gone(first, "20", newest: 18) == ["beyondNewest", "0-a"])
        #expect(try gone(first, "20-a", newest: 18) == ["beyondNewest", "0-a"])
        let generations = try restored()
        let start = generations.current.start
        #expect(try gone(generations, "\(start + 3)-b", newest: start + 2) == ["beyondNewest", "\(start)-b"])
        #expect(try gone(generations, "\(start + 3)", newest: start + 2) == ["beyondNewest", "0-b"])
    }

    @Test("After another store was replaced, a reader with a bare number is asked to start again")
    func replaced() throws {
        let first = try #require(StoreGenerations([StoreGeneration(id: "a")]))
        let generations = try #require(
            StoreGenerations(first.next("c", newest: 18, inPlaceOf: ([StoreGeneration(id: "b")], 25), at: noon)))
        let newest = generations.current.start
        #expect(try gone(generations, "20", newest: newest) == ["otherStore", "0-c"])
        #expect(try gone(generations, "20-a", newest: newest) == ["setBack", "18-c"])
        #expect(try gone(generations, "20-b", newest: newest) == ["otherStore", "0-c"])
    }

    @Test("Generations that do not form a tree are refused")
    func noTree() {
        #expect(StoreGenerations([]) == nil)
        #expect(StoreGenerations([StoreGeneration(id: "b", parent: "a", branch: 1, start: 5)]) == nil)
        #expect(StoreGenerations([StoreGeneration(id: "a"), StoreGeneration(id: "a")]) == nil)
    }

    // MARK: - Histories

    /// A model of a store: its generations and its events, each with a unique name.
    private struct Store {
        var generations: StoreGenerations
        var events: [(number: Int64, name: Int)] = []
        var newest: Int64 { max(events.last?.number ?? 0, generations.current.start) }
    }

    /// A reader's cursor, and the names of the events that it has read.
    private struct Reader {
        var cursor: EventCursor
        var names: [Int]
    }

    /// The first generation before that of a cursor; nil when it is unknown.
    private func origin(of cursor: EventCursor, in generations: StoreGenerations) -> String? {
        var generation = generations.all.first { $0.id == cursor.generation }
        while let parent = generation?.parent { generation = generations.all.first { $0.id == parent } }
        return generation?.id
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
            return Store(generations: try #require(StoreGenerations([StoreGeneration(id: "a\(lives)")])))
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
                    let taken = given[stores[place].generations.store, default: [:]].updateValue(count, forKey: number)
                    #expect(taken == nil, "seed \(seed): \(number) twice")
                }
            case 5: backups.append(stores[place])
            case 6, 7:
                guard let backup = backups.randomElement(using: &random) else { continue }
                lives += 1
                let old = stores[place]
                let isKnown = Bool.random(using: &random)
                stores[place].events = backup.events
                stores[place].generations = try #require(
                    StoreGenerations(
                        backup.generations.next(
                            "b\(lives)", newest: backup.newest, inPlaceOf: isKnown ? (old.generations.all, old.newest) : nil,
                            at: now)))
            case 8:
                if Int.random(in: 0..<6, using: &random) == 0 { stores[place] = try newStore() }
            default:
                let store = stores[place]
                let read = Int.random(in: 0...store.events.count, using: &random)
                let number = read == 0 ? 0 : read == store.events.count ? store.newest : store.events[read - 1].number
                readers.append(Reader(cursor: store.generations.cursor(number), names: store.events.prefix(read).map(\.name)))
            }
            let store = stores[place]
            for reader in readers {
                // The oracle: the events that both have in common, from the beginning.
                let common = zip(reader.names, store.events).prefix { $0 == $1.name }.count
                let isWhole = common == reader.names.count
                do {
                    let place = try store.generations.check(reader.cursor, newest: store.newest)
                    #expect(isWhole, "seed \(seed): \(reader.cursor) is let on, and misses events")
                    let next = store.events.first { $0.number > place }
                    #expect(next?.name == store.events.dropFirst(common).first?.name, "seed \(seed): \(reader.cursor)")
                } catch {
                    guard case .cursorGone(_, let reason, let resume, _) = error else { throw error }
                    let rest = store.events.filter { $0.number > resume.sequence }.map(\.name)
                    let needed = store.events.dropFirst(common).map(\.name)
                    #expect(rest.count >= needed.count, "seed \(seed): \(reader.cursor) to \(resume) misses events")
                    if reason == .setBack {
                        #expect(rest == Array(needed), "seed \(seed): \(reader.cursor) to \(resume) tells what is known")
                        #expect(!isWhole, "seed \(seed): \(reader.cursor) is sent back for nothing")
                    }
                    try store.generations.check(resume, newest: store.newest)
                }
                // A bare number is recognized if it comes from a generation of the same origin that the store knows.
                if origin(of: reader.cursor, in: store.generations) == store.generations.store {
                    do {
                        let place = try store.generations.check(
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
