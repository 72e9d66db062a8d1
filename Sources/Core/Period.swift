import Model

/// The period between `since` and `until` of a filter.
package enum Period {
    /// Reads the two ends of a period, of which each may be nil. A day or a month is in the period, also as its end: `2026-10` as `until` is
    /// the first moment of November. The period may consist of a single moment.
    ///
    /// - Parameter prefix: The prefix of the names in messages, such as the `--` of options.
    /// - Throws: `Problem.validationFailed` for a text that is no time, and for a period that ends before it begins.
    package static func read(
        since: String?, until: String?, by reader: TimeReader, prefix: String = ""
    ) throws(Problem) -> (since: Instant?, until: Instant?) {
        let start = try since.map { text throws(Problem) in try reader.moments(text, field: prefix + "since").start }
        let end = try until.map { text throws(Problem) in try reader.moments(text, field: prefix + "until") }
        // The day before the one in `since` ends when that begins, but a moment may be both ends.
        if let since, let until, let start, let end, start > end.end || start == end.end && end.start < end.end {
            throw .validationFailed(
                field: prefix + "since", value: since, reason: Phrase("it is after \(prefix)until, \(until)"),
                expected: Phrase("a time before \(prefix)until"))
        }
        return (start, end?.end)
    }
}
