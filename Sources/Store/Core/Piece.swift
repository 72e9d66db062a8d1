import Model

/// A part of a long list that is read in one transaction; see `PicketStore.forEachInPieces(from:_:_:)`.
package struct Piece<Item> {
    package let limit: PicketStore.PieceLimit
    package private(set) var items: [Item] = []
    private var bytes = 0
    private var start: ContinuousClock.Instant?

    init(_ limit: PicketStore.PieceLimit) { self.limit = limit }

    /// Adds an item.
    ///
    /// - Parameter size: The size of the item in bytes; 0 if it is small.
    /// - Returns: Whether the piece is full.
    package mutating func add(_ item: Item, bytes size: Int = 0) -> Bool {
        items.append(item)
        bytes += size
        let begin = start ?? .now
        start = begin
        return items.count >= limit.items || bytes >= limit.bytes || ContinuousClock.now - begin >= limit.time
    }
}

extension PicketStore {
    /// The limits of a part of a long list that is read in one transaction.
    package struct PieceLimit: Sendable {
        /// The maximum number of items.
        package var items = 5000
        /// The maximum size of the items in bytes, as far as their readers know it.
        var bytes = 4 << 20
        /// The time after the first item at which a piece ends.
        var time = Duration.milliseconds(100)

        init() {}
    }

    /// Reads a list of any length in pieces, and calls `body` with each item.
    ///
    /// A transaction that reads keeps SQLite from starting the write-ahead log again from its beginning, so the log grows as long
    /// as the transaction lasts. Here each piece is its own transaction, and none is open while `body` runs, which may wait for a
    /// slow client. Within a transaction of the caller, all pieces are of one state.
    ///
    /// - Parameters:
    ///   - start: The place of the first piece.
    ///   - read: Adds the items from a place on until the piece is full. Returns the place of the next piece; nil at the end of
    ///     the list. The place is a key, so that an item is in one piece only, regardless of what is written between two pieces.
    package func forEachInPieces<Place, Item>(
        from start: Place, _ read: (Place, inout Piece<Item>) throws(Problem) -> Place?, _ body: (Item) throws(Problem) -> Void
    ) throws(Problem) {
        var next = Optional(start)
        while let place = next {
            var piece = Piece<Item>(pieceLimit)
            next = try inReadTransaction { () throws(Problem) in try read(place, &piece) }
            for item in piece.items { try body(item) }
        }
    }

    /// Runs `body` in the caller's transaction or, if there is none, in a transaction that reads.
    package func inReadTransaction<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        if isInTransaction { return try body() }
        defer { cachedNewestInput = nil }
        return try connection.snapshot(failure: { Problem($0, at: path) }, body)
    }
}
