/// The generations of a store: the current one, those that earlier events belong to, and known ones that were abandoned.
///
/// The generations form a tree. The store's events belong to those on the path from the root to the current generation.
///
/// ```
/// first ──1…18──┬──19, 20           abandoned by restoring a backup that had 18
///               └──── start+1 …     current
/// ```
package struct StoreGenerations: Hashable, Sendable {
    /// All known generations, the oldest first. The last one is the current one.
    package let all: [StoreGeneration]
    /// The generations whose events the store has, the current one first, each with the largest event number that counts in it. The first
    /// has no limit here.
    private let path: [(generation: StoreGeneration, limit: Int64)]
    private let numbers: [String: Int]

    /// - Parameter all: The last is the current one.
    /// - Returns: Nil when the list is empty, an id occurs twice, or a parent is missing or comes after its child.
    package init?(_ all: [StoreGeneration]) {
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

    package var current: StoreGeneration { path[0].generation }

    /// The store's identity: the id of its first generation, which a restore of its backups does not change.
    package var store: String { path[path.count - 1].generation.id }

    /// The number of restores between the first generation and the current one.
    package var restores: Int { path.count - 1 }

    /// The numbers that no event of the store has, although lower numbers exist and higher ones may follow. Ascending.
    package var unused: [ClosedRange<Int64>] {
        path.reversed().compactMap { generation, _ in
            generation.branch < generation.start ? generation.branch + 1...generation.start : nil
        }
    }

    /// The cursor of an event number in this store.
    package func cursor(_ sequence: Int64) -> EventCursor { EventCursor(sequence, of: current.id) }

    // MARK: - Cursors of readers

    /// Checks whether a reader that continues from a cursor misses no events.
    ///
    /// A cursor with a generation is checked exactly. A number without a generation that this store has assigned is accepted. Another
    /// number is taken to be from the newest known generation that began at or below it, unless this store replaced another store.
    ///
    /// - Parameter newest: The newest event number of the store.
    /// - Returns: The number after which to continue: that of the cursor, or that of the last event before the cursor's generation when no
    ///   event of that generation has been read.
    /// - Throws: `Problem.cursorGone`, with the cursor from which the reader misses nothing.
    @discardableResult
    package func check(_ cursor: EventCursor, newest: Int64) throws(Problem) -> Int64 {
        // A reader that has read nothing misses nothing.
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
            if newestNumber(upTo: cursor.sequence, newest: newest) == cursor.sequence { return cursor.sequence }
            // The origin of the number is unknown.
            if cursor.sequence > newest { throw gone(.beyondNewest, 0) }
            // If this store replaced another store, the number may be from that one.
            guard all.count(where: { $0.parent == nil }) == 1,
                let older = all.filter({ $0.start <= cursor.sequence }).max(by: { $0.start < $1.start })
            else { throw gone(.otherStore, 0) }
            origin = older
        }
        guard let common = lastCommonNumber(cursor.sequence, of: origin, newest: newest) else { throw gone(.otherStore, 0) }
        if !common.isAll { throw gone(.setBack, common.place) }
        return common.place
    }

    /// The largest number that is both in this store and read by a reader of another generation.
    ///
    /// - Returns: The number, and whether it covers all that was read; nil when the two have no generation in common.
    private func lastCommonNumber(
        _ sequence: Int64, of origin: StoreGeneration, newest: Int64
    ) -> (place: Int64, isAll: Bool)? {
        var generation = origin
        var read = sequence
        var isAll = true
        while true {
            // A reader that has read no event of the generation itself is at the branch from its parent.
            let isBehind = read <= generation.start
            if !isBehind || generation.parent == nil,
                let step = path.first(where: { $0.generation.id == generation.id })
            {
                let common = newestNumber(upTo: min(read, step.limit), newest: newest)
                return (common, isAll && common == read)
            }
            guard let parent = generation.parent.flatMap({ numbers[$0] }) else { return nil }
            if !isBehind { isAll = false }
            read = min(read, generation.branch)
            generation = all[parent]
        }
    }

    /// The largest event number in this store that does not exceed a number.
    private func newestNumber(upTo sequence: Int64, newest: Int64) -> Int64 {
        for (generation, limit) in path where sequence >= generation.start {
            return min(sequence, limit, newest)
        }
        return 0
    }

    // MARK: - A new generation

    /// 2020. A clock before this moment is wrong.
    private static let earliestClock = Instant(milliseconds: 1_577_836_800_000)

    /// The generations after a restore.
    ///
    /// The numbers of the new generation begin above all numbers that any earlier generation can have used. It is unknown which numbers
    /// were used after the backup was made, so the new numbers begin at the clock's milliseconds since 1970. A generation with fewer than a
    /// thousand events a second never gets ahead of that. If the clock is wrong, the new numbers begin a billion above the largest known
    /// number.
    ///
    /// - Parameters:
    ///   - id: The id of the new generation.
    ///   - newest: The newest event number of the store.
    ///   - other: The generations and the newest number of the store that is replaced. They are kept, so that cursors of its readers can be
    ///     checked exactly.
    package func next(
        _ id: String, newest: Int64, inPlaceOf other: (generations: [StoreGeneration], newest: Int64)?, at now: Instant
    ) -> [StoreGeneration] {
        let left = (other?.generations ?? []).filter { numbers[$0.id] == nil }
        let known = max((all + left).map(\.start).max() ?? 0, newest, other?.newest ?? 0)
        let start = now < Self.earliestClock ? known + 1_000_000_000 : max(now.milliseconds, known + 1)
        return all + left + [StoreGeneration(id: id, parent: current.id, branch: newest, start: start)]
    }
}

extension StoreGenerations {
    package static func == (a: StoreGenerations, b: StoreGenerations) -> Bool { a.all == b.all }
    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
