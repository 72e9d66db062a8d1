import Model

/// The period between `since` and `until` of a filter.
package enum Period {
    /// Reads the two ends of a period, each of which may be nil. A day or a month belongs to the period, even as its end:
    /// `2026-10` as `until` is the first moment of November. The period may consist of a single moment.
    ///
    /// - Parameter prefix: The prefix of the names in messages, such as the `--` of options.
    /// - Throws: `Problem.validationFailed` for a text that is not a time, and for a period that ends before it begins.
    package static func read(
        since: String?, until: String?, by reader: TimeReader, prefix: String = ""
    ) throws(Problem) -> (since: Instant?, until: Instant?) {
        let start = try since.map { text throws(Problem) in try reader.moments(text, field: prefix + "since").start }
        let end = try until.map { text throws(Problem) in try reader.moments(text, field: prefix + "until") }
        // `until` may be the same moment as `since`, but not the day before it, although that day ends when the day in `since`
        // begins.
        if let since, let until, let start, let end, start > end.end || start == end.end && end.start < end.end {
            throw .validationFailed(
                field: prefix + "since", value: since, reason: Phrase("it is after \(prefix)until, \(until)"),
                expected: Phrase("a time before \(prefix)until"))
        }
        return (start, end?.end)
    }
}
