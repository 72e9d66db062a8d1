/// How many numbers of events are examined in one piece of a list. It grows while a filter admits few of them.
struct EventWindow {
    private static let least: Int64 = 4096
    /// This many rows are read in about 100 ms.
    private static let mostUnindexed: Int64 = 200_000

    private var size = EventWindow.least
    private let most: Int64

    /// - Parameter isIndexed: Whether an index has the events that the filter admits, so that others cost nothing.
    init(isIndexed: Bool) { most = isIndexed ? 1 << 40 : Self.mostUnindexed }

    /// The last number to examine.
    func end(after number: Int64) -> Int64 { number > .max - size ? .max : number + size }

    /// Adapts the size of the next window.
    ///
    /// - Parameter limit: The number of events that fill a piece.
    mutating func adapt(found: Int, of limit: Int) {
        if found >= limit {
            size = max(Self.least, size / 4)
        } else if found < limit / 4 {
            size = min(most, size * 2)
        }
    }
}
