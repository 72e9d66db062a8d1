import Model

/// Parses the times in position files.
enum Timestamp {
    /// The moment that the text in `range` stands for; nil if it is not a time.
    static func parse(_ bytes: Bytes, _ range: Range<Int>) -> Instant? { try? WrittenTime(bytes, range).moment() }
}
