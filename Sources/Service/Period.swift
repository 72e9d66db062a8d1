import Model

/// A period that a filter names by its `since` and its `until`.
public enum Period {
    /// Makes sure that a period does not end before it begins. One that begins where it ends is a moment.
    ///
    /// - Parameter prefix: What stands before the names where the period is asked for, as the `--` of options.
    /// - Throws: `Problem.validationFailed`.
    public static func check(since: Instant?, until: Instant?, prefix: String = "") throws(Problem) {
        guard let since, let until, since > until else { return }
        throw .validationFailed(
            field: prefix + "since", value: since.description, reason: "it is after \(prefix)until, \(until)",
            expected: "a time before \(prefix)until")
    }
}
