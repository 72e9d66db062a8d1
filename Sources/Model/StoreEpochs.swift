/// The epochs of a store: the current one, those that earlier events belong to, and known ones that were abandoned.
///
/// The epochs form a tree. The store's events belong to those on the path from the root to the current epoch.
///
/// ```
/// first ──1…18──┬──19, 20           abandoned by restoring a backup that had 18
///               └──── start+1 …     current
/// ```
package struct StoreEpochs: Hashable, Sendable {
    /// All known epochs, the oldest first. The last one is the current one.
    package let all: [StoreEpoch]
    /// The epochs whose events the store has, the current one first, each with the largest event number that counts in it. The first
    /// has no limit here.
    private let path: [(epoch: StoreEpoch, limit: Int64)]
    private let numbers: [String: Int]

    /// - Parameter all: The last is the current one.
    /// - Returns: Nil when the list is empty, an id occurs twice, or a parent is missing or comes after its child.
    package init?(_ all: [StoreEpoch]) {
        var numbers: [String: Int] = [:]
        for (number, epoch) in all.enumerated() {
            if let parent = epoch.parent, numbers[parent] == nil { return nil }
            guard numbers.updateValue(number, forKey: epoch.id) == nil else { return nil }
        }
        guard var epoch = all.last else { return nil }
        var path = [(epoch, Int64.max)]
        while let parent = epoch.parent.flatMap({ numbers[$0] }) {
            path.append((all[parent], epoch.branch))
            epoch = all[parent]
        }
        self.all = all
        self.path = path
        self.numbers = numbers
    }

    package var current: StoreEpoch { path[0].epoch }

    /// The store's identity: the id of its first epoch, which a restore of its backups does not change.
    package var store: String { path[path.count - 1].epoch.id }

    /// The number of restores between the first epoch and the current one.
    package var restores: Int { path.count - 1 }

    /// The numbers that no event of the store has, although lower numbers exist and higher ones may follow. Ascending.
    package var unused: [ClosedRange<Int64>] {
        path.reversed().compactMap { epoch, _ in
            epoch.branch < epoch.start ? epoch.branch + 1...epoch.start : nil
        }
    }

    /// The cursor of an event number in this store.
    package func cursor(_ sequence: Int64) -> EventCursor { EventCursor(sequence, of: current.id) }

    // MARK: - Cursors of readers

    /// Checks whether a reader that continues from a cursor misses no events.
    ///
    /// A cursor with an epoch is checked exactly. A number without an epoch that this store has assigned is accepted. Another
    /// number is taken to be from the newest known epoch that began at or below it, unless this store replaced another store.
    ///
    /// - Parameter newest: The newest event number of the store.
    /// - Returns: The number after which to continue: that of the cursor, or that of the last event before the cursor's epoch when no
    ///   event of that epoch has been read.
    /// - Throws: `Problem.cursorGone`, with the cursor from which the reader misses nothing.
    @discardableResult
    package func check(_ cursor: EventCursor, newest: Int64) throws(Problem) -> Int64 {
        // A reader that has read nothing misses nothing.
        if cursor.sequence == 0 { return 0 }
        func gone(_ reason: EventCursor.Mismatch, _ resume: Int64) -> Problem {
            .cursorGone(cursor: cursor, reason: reason, resume: self.cursor(resume), newest: newest)
        }
        let origin: StoreEpoch
        if let id = cursor.epoch {
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
        if !common.isAll { throw gone(.restored, common.place) }
        return common.place
    }

    /// The largest number that is both in this store and read by a reader of another epoch.
    ///
    /// - Returns: The number, and whether it covers all that was read; nil when the two have no epoch in common.
    private func lastCommonNumber(
        _ sequence: Int64, of origin: StoreEpoch, newest: Int64
    ) -> (place: Int64, isAll: Bool)? {
        var epoch = origin
        var read = sequence
        var isAll = true
        while true {
            // A reader that has read no event of the epoch itself is at the branch from its parent.
            let isBehind = read <= epoch.start
            if !isBehind || epoch.parent == nil,
                let step = path.first(where: { $0.epoch.id == epoch.id })
            {
                let common = newestNumber(upTo: min(read, step.limit), newest: newest)
                return (common, isAll && common == read)
            }
            guard let parent = epoch.parent.flatMap({ numbers[$0] }) else { return nil }
            if !isBehind { isAll = false }
            read = min(read, epoch.branch)
            epoch = all[parent]
        }
    }

    /// The largest event number in this store that does not exceed a number.
    private func newestNumber(upTo sequence: Int64, newest: Int64) -> Int64 {
        for (epoch, limit) in path where sequence >= epoch.start {
            return min(sequence, limit, newest)
        }
        return 0
    }

    // MARK: - A new epoch

    /// 2020. A clock before this moment is wrong.
    private static let earliestClock = Instant(milliseconds: 1_577_836_800_000)

    /// The epochs after a restore.
    ///
    /// The numbers of the new epoch begin above all numbers that any earlier epoch can have used. It is unknown which numbers
    /// were used after the backup was made, so the new numbers begin at the clock's milliseconds since 1970. An epoch with fewer than a
    /// thousand events a second never gets ahead of that. If the clock is wrong, the new numbers begin a billion above the largest known
    /// number.
    ///
    /// - Parameters:
    ///   - id: The id of the new epoch.
    ///   - newest: The newest event number of the store.
    ///   - other: The epochs and the newest number of the store that is replaced. They are kept, so that cursors of its readers can be
    ///     checked exactly.
    package func next(
        _ id: String, newest: Int64, inPlaceOf other: (epochs: [StoreEpoch], newest: Int64)?, at now: Instant
    ) -> [StoreEpoch] {
        let left = (other?.epochs ?? []).filter { numbers[$0.id] == nil }
        let known = max((all + left).map(\.start).max() ?? 0, newest, other?.newest ?? 0)
        let start = now < Self.earliestClock ? known + 1_000_000_000 : max(now.milliseconds, known + 1)
        return all + left + [StoreEpoch(id: id, parent: current.id, branch: newest, start: start)]
    }
}

extension StoreEpochs {
    package static func == (a: StoreEpochs, b: StoreEpochs) -> Bool { a.all == b.all }
    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
