/// The numbers of positions by result.
package struct IntakeCounts: Hashable, Sendable {
    /// All positions that were read, including refused ones.
    package var fixes = 0
    package var accepted = 0
    /// Positions that were already stored. They change nothing.
    package var duplicates = 0
    /// Accepted positions that were older than their device's newest one. They are stored, marked, and evaluated by a replay.
    package var late = 0
    /// The late positions among them that are not evaluated yet, because a replay does that soon after.
    package var waiting = 0
    package var refused = 0
    package var events = 0

    package init() {}

    package mutating func add(_ part: IntakeCounts) {
        fixes += part.fixes
        accepted += part.accepted
        duplicates += part.duplicates
        late += part.late
        waiting += part.waiting
        refused += part.refused
        events += part.events
    }
}
