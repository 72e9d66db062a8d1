import Model

/// The period between `since` and `until` of a filter.
package enum Period {
    /// Checks that a period does not end before it begins. The period may consist of a single moment.
    ///
    /// - Parameter prefix: The prefix of the names in messages, such as the `--` of options.
    /// - Throws: `Problem.validationFailed`.
    package static func check(since: Instant?, until: Instant?, prefix: String = "") throws(Problem) {
        guard let since, let until, since > until else { return }
        throw .validationFailed(
            field: prefix + "since", value: since.description, reason: .afterUntil(prefix, until.description),
            expected: .timeBefore(prefix))
    }
}
