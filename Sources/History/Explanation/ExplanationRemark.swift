import Core
import Model

/// Why an explanation may show something else than was decided.
enum ExplanationRemark: Hashable, Sendable {
    case positionsRemoved
    /// Late fixes from that time on wait for a replay.
    case lateFixesWait(since: Instant)
    /// Late fixes from that time on cannot be evaluated, because positions that a replay needs were deleted.
    case lateFixesNotEvaluated(since: Instant)
    /// A replay has evaluated the fixes from a time (nil: the first) to another with a later version of the geofence, or as if it had never
    /// been there.
    case backdated(isRemoved: Bool, from: Instant?, to: Instant)
    /// An event on record that the stored fixes do not lead to.
    case alsoOnRecord(EventType, at: Instant)

    /// As a sentence.
    func words(in language: Language = .english, zone: LocalTimeZone = .utc) -> String {
        phrase(in: zone).text(in: language)
    }

    private func phrase(in zone: LocalTimeZone) -> Phrase {
        func time(_ moment: Instant) -> String { Format.time(moment, in: zone) }
        switch self {
        case .positionsRemoved:
            return Phrase(
                """
                Positions of the device were removed or never kept; this evaluation starts with the first one that is left.
                """)
        case .lateFixesWait(let since):
            return Phrase(
                """
                Positions arrived late, the first from \(time(since)), and wait for a replay; this evaluation includes them in order \
                of time.
                """)
        case .lateFixesNotEvaluated(let since):
            return Phrase(
                """
                Positions arrived late, the first from \(time(since)), and could not be evaluated, because older positions were \
                deleted or never kept; this evaluation includes them in order of time.
                """)
        case .backdated(let isRemoved, let from, let to):
            let positions = from.map { Phrase("from \(time($0)) up to \(time(to))") } ?? Phrase("up to \(time(to))")
            return isRemoved
                ? Phrase(
                    """
                    A replay with the current geofences evaluated the positions \(positions) as if the geofence had not existed. The \
                    events of this replay have the cause 'corrected'.
                    """)
                : Phrase(
                    """
                    A replay with the current geofences evaluated the positions \(positions) with the geofence as it was created or \
                    changed later. The events of this replay have the cause 'corrected'.
                    """)
        case .alsoOnRecord(let type, let at):
            let name: Phrase =
                switch type {
                case .enter: StepReason.Change.enter.phrase
                case .exit: StepReason.Change.exit.phrase
                case .dwell: Phrase("dwell")
                // The positions of a device and a geofence lead to no other events.
                default: .verbatim(type.rawValue)
                }
            return Phrase("Also recorded: \(name) at \(time(at)). Replaying the stored positions does not produce it.")
        }
    }
}
