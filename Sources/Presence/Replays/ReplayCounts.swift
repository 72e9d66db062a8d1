import Model
import Timeline

/// The result of replays.
package struct ReplayCounts: Hashable, Sendable {
    /// The number of devices whose fixes were evaluated again.
    package var devices = 0
    /// The number of fixes that were evaluated again.
    package var fixes = 0
    /// The number of recorded events that a replay did not change.
    package var unchanged = 0
    /// The numbers of events that were retracted (`retracted`) and of events that replaced them or were added (`new`).
    package var retracted = 0
    package var new = 0
    /// The number of devices that could not be replayed, because the necessary positions were removed or never stored.
    package var skipped = 0
    /// The number of late fixes that were evaluated for the first time, of those that have arrived since the store was opened.
    package var late = 0

    package init() {}

    package mutating func add(_ part: ReplayCounts) {
        devices += part.devices
        fixes += part.fixes
        unchanged += part.unchanged
        retracted += part.retracted
        new += part.new
        skipped += part.skipped
        late += part.late
    }

    package init(_ correction: Correction, fixes: Int) {
        devices = 1
        self.fixes = fixes
        unchanged = correction.reproducedCount
        retracted = correction.wrongEvents.count
        new = correction.missingDecisions.count
    }
}

extension ReplayCounts: JSONDescribed {
    package static let shape = JSONShape<ReplayCounts>(
        "ReplayCounts",
        summary: "The result of evaluating positions again",
        .init("devices", kind: .whole, summary: "Devices whose positions were evaluated", content: \.devices),
        .init("fixes", kind: .whole, summary: "Positions that were evaluated", content: \.fixes),
        .init("equal", kind: .whole, summary: "Events that stayed the same", content: \.unchanged),
        .init("retracted", kind: .whole, summary: "Retracted events", content: \.retracted),
        .init("new", kind: .whole, summary: "New events", content: \.new),
        .init(
            "passedOver", kind: .whole, summary: "Devices that were skipped, because positions that a replay needs are missing",
            content: \.skipped)
    ) { devices, fixes, equal, retracted, new, passedOver in
        var counts = ReplayCounts()
        counts.devices = devices
        counts.fixes = fixes
        counts.unchanged = equal
        counts.retracted = retracted
        counts.new = new
        counts.skipped = passedOver
        return counts
    }
}
