import Model

/// Why an explanation may show something else than was decided.
package enum ExplanationRemark: Hashable, Sendable {
    case positionsRemoved
    /// Late fixes from that time on wait for a replay.
    case lateFixesWait(since: Instant)
    /// Late fixes from that time on cannot be evaluated, because positions that a replay needs were deleted.
    case lateFixesNotEvaluated(since: Instant)
    /// A replay has evaluated the fixes from a time (nil: the first) to another with a later version of the geofence, or as if it had never
    /// been there.
    case backdated(isRemoved: Bool, from: Instant?, to: Instant)
    /// An event on record that the stored fixes do not give.
    case alsoOnRecord(EventType, at: Instant)

    /// As a sentence.
    package func words(in language: Language = .english, zone: LocalTimeZone = .utc) -> String {
        language.explanation(in: zone).remark(self)
    }
}
