/// A stretch of a store's life in which its events are numbered one after the other. A restore begins a new one.
public struct StoreGeneration: Hashable, Sendable {
    /// Random, in lowercase hexadecimal digits.
    public var id: String
    /// The generation that its first events are from; nil for the first of a store.
    public var parent: String?
    /// The newest event that it has of its parent's; 0 without one.
    public var branch: Int64
    /// Its own events have greater numbers. Numbers after `branch` and up to here are never used in it.
    public var start: Int64

    public init(id: String, parent: String? = nil, branch: Int64 = 0, start: Int64 = 0) {
        self.id = id
        self.parent = parent
        self.branch = branch
        self.start = start
    }
}

/// The generations of a store: the one it is in, those that its events are from, and those that it knows to have been left behind.
///
/// They make a tree. The store's events lie on the path from its root to the current generation.
///
///     first ──1…18──┬──19, 20           left behind by a restore of a backup that had 18
///                   └──── start+1 …     current
public struct StoreGenerations: Hashable, Sendable {
    /// The oldest first; the last is the current one.
    public let all: [StoreGeneration]
    /// The generations whose events the store has, the current one first, each with the newest number that counts in it. The limit of
    /// the first is unknown here.
    private let path: [(generation: StoreGeneration, limit: Int64)]
    private let numbers: [String: Int]

    /// - Parameter all: The last is the current one.
    /// - Returns: Nil when the current generation has no root: there is none, or a parent is missing or comes after its child.
    public init?(_ all: [StoreGeneration]) {
        var numbers: [String: Int] = [:]
        for (number, generation) in all.enumerated() {
            if let parent = generation.parent, numbers[parent] == nil { return nil }
            guard numbers.updateValue(number, forKey: generation.id) == nil else { return nil }
        }
        guard var generation = all.last else { return nil }
        var path = [(generation, Int64.max)]
        while let parent = generation.parent.flatMap({ numbers[$0] }) {
            path.append((all[parent], generation.branch))
            generation = all[parent]
        }
        self.all = all
        self.path = path
        self.numbers = numbers
    }

    public var current: StoreGeneration { path[0].generation }

    /// The store's identity: the id of its first generation, which stays through every restore of its backups.
    public var store: String { path[path.count - 1].generation.id }

    /// How many restores lie between the first generation and the current one.
    public var restores: Int { path.count - 1 }

    /// The numbers that no event of the store has, though there are events before and may be events after them. Ascending.
    public var unused: [ClosedRange<Int64>] {
        path.reversed().compactMap { generation, _ in
            generation.branch < generation.start ? generation.branch + 1...generation.start : nil
        }
    }

    /// The place of an event in this store.
    public func cursor(_ sequence: Int64) -> EventCursor { EventCursor(sequence, of: current.id) }

    // MARK: - Where a reader goes on

    /// Makes sure that whoever has read up to a cursor misses nothing by reading on from there.
    ///
    /// A cursor with its generation is judged exactly. A bare number that this store has given counts as its own; one that it has not
    /// is taken to be from the newest known generation that began at or below it.
    ///
    /// - Parameter newest: The newest number that the store has given.
    /// - Returns: The number after which to read on: that of the cursor, or, where nothing of the cursor's generation was read, that of
    ///   the last event before it.
    /// - Throws: `Problem.cursorGone`, with the place from which on the reader misses nothing.
    @discardableResult
    public func check(_ cursor: EventCursor, newest: Int64) throws(Problem) -> Int64 {
        // Who has read nothing misses nothing.
        if cursor.sequence == 0 { return 0 }
        func gone(_ reason: EventCursor.Mismatch, _ resume: Int64) -> Problem {
            .cursorGone(cursor: cursor, reason: reason, resume: self.cursor(resume), newest: newest)
        }
        let origin: StoreGeneration
        if let id = cursor.generation {
            guard let number = numbers[id] else { throw gone(.otherStore, 0) }
            origin = all[number]
            if origin.id == current.id, cursor.sequence > newest { throw gone(.beyondNewest, current.start) }
        } else {
            if place(upTo: cursor.sequence, newest: newest) == cursor.sequence { return cursor.sequence }
            // It may be from anywhere.
            if cursor.sequence > newest { throw gone(.beyondNewest, 0) }
            guard let older = all.filter({ $0.start <= cursor.sequence }).max(by: { $0.start < $1.start }) else {
                throw gone(.otherStore, 0)
            }
            origin = older
        }
        guard let common = lastCommon(cursor.sequence, of: origin, newest: newest) else { throw gone(.otherStore, 0) }
        if !common.isAll { throw gone(.setBack, common.place) }
        return common.place
    }

    /// The newest place that is both in this store and among what a reader of another generation has read.
    ///
    /// - Returns: The place, and whether it is all that was read; nil when the two have no generation in common.
    private func lastCommon(
        _ sequence: Int64, of origin: StoreGeneration, newest: Int64
    ) -> (place: Int64, isAll: Bool)? {
        var generation = origin
        var read = sequence
        var isAll = true
        while true {
            // Who has read nothing of a generation itself is where its parent was left.
            let isBehind = read <= generation.start
            if !isBehind || generation.parent == nil,
                let step = path.first(where: { $0.generation.id == generation.id })
            {
                let common = place(upTo: min(read, step.limit), newest: newest)
                return (common, isAll && common == read)
            }
            guard let parent = generation.parent.flatMap({ numbers[$0] }) else { return nil }
            if !isBehind { isAll = false }
            read = min(read, generation.branch)
            generation = all[parent]
        }
    }

    /// The newest place in this store that is not after a number.
    private func place(upTo sequence: Int64, newest: Int64) -> Int64 {
        for (generation, limit) in path where sequence >= generation.start {
            return min(sequence, limit, newest)
        }
        return 0
    }

    // MARK: - A new generation

    /// A clock that is before this, 2020, has lost its time.
    private static let earliestClock = Instant(milliseconds: 1_577_836_800_000)

    /// The generations after a restore.
    ///
    /// The new one begins beyond everything that any earlier one may have given. What a generation gave after its backup was made is
    /// unknown where that is restored elsewhere, so numbers go on from the clock, in milliseconds since 1970: no generation gets ahead of
    /// it that makes fewer than a thousand events a second through its life. Where the clock has lost its time, they go on a billion after
    /// the greatest number that is known.
    ///
    /// - Parameters:
    ///   - id: Of the new generation.
    ///   - newest: The newest number that the store has given.
    ///   - other: The generations of the store whose place this one takes, and its newest number: they are remembered, so that cursors of
    ///     their readers are judged exactly.
    public func next(
        _ id: String, newest: Int64, inPlaceOf other: (generations: [StoreGeneration], newest: Int64)?, at now: Instant
    ) -> [StoreGeneration] {
        let left = (other?.generations ?? []).filter { numbers[$0.id] == nil }
        let known = max((all + left).map(\.start).max() ?? 0, newest, other?.newest ?? 0)
        let start = now < Self.earliestClock ? known + 1_000_000_000 : max(now.milliseconds, known + 1)
        return all + left + [StoreGeneration(id: id, parent: current.id, branch: newest, start: start)]
    }
}

extension StoreGenerations {
    public static func == (a: StoreGenerations, b: StoreGenerations) -> Bool { a.all == b.all }
    public func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
