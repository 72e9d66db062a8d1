import Core
import Model
import Store
import Timeline

extension StoreCheck: JSONDescribed {
    package static let shape = JSONShape<StoreCheck>(
        "StoreCheck", summary: "The result of a check of the store",
        .init("isSound", kind: .flag, summary: "Whether no flaw was found", content: \.isSound),
        JSONMember<StoreCheck, Queries.Totals>(membersOf: Queries.Totals.shape, content: \.totals),
        .init("store", optional: .object, content: \.totals.identity),
        .init("openVisits", kind: .whole, summary: "Visits that have not ended", content: \.openVisits),
        .init("phones", kind: .whole, summary: "Simulated phones", content: \.phones),
        .init("replay", kind: .object, content: \.replay),
        .init(
            "pagesWithoutChecksum", kind: .whole, summary: "Pages without a checksum: damage to them may not be noticed",
            content: \.pagesWithoutChecksum),
        .init("flawCount", kind: .whole, summary: "Flaws that were found", content: \.flaws.count),
        .init("flaws", kind: .list(of: .object), summary: "The first hundred of them", content: \.flaws.first)
    ) { _, totals, store, openVisits, phones, replay, pagesWithoutChecksum, flawCount, flaws in
        var check = StoreCheck()
        check.totals = totals
        check.totals.identity = store
        (check.openVisits, check.phones, check.replay) = (openVisits, phones, replay)
        check.pagesWithoutChecksum = pagesWithoutChecksum
        check.flaws = StoreFlaws(first: flaws, count: flawCount)
        return check
    }
}

extension StoreFlaw: JSONDescribed {
    package static let shape = JSONShape<StoreFlaw>(
        "StoreFlaw", summary: "Something in the store that cannot be right",
        .init("kind", kind: .word, summary: "The kind of flaw", content: \.kind),
        .init("details", kind: .text, summary: "The place of the flaw, in English", content: \.details)
    ) { kind, details in StoreFlaw(kind, details) }
}

extension ReplayReport: JSONDescribed {
    package static let shape = JSONShape<ReplayReport>(
        "StoreReplay", summary: "The result of evaluating all positions again",
        .init("devices", kind: .whole, summary: "Devices whose events and state match the stored ones", content: \.devices),
        .init("unprovenDevices", kind: .whole, summary: "Devices for which that cannot be proved", content: \.unprovenDevices),
        .init("unproven", kind: .deviceCounts, summary: "The reasons, each with its number of devices", content: \.unproven),
        .init("fixes", kind: .whole, summary: "Positions that were evaluated", content: \.fixes),
        .init("lateFixes", kind: .whole, summary: "Late positions that wait for a replay", content: \.lateFixes),
        .init("revisions", kind: .whole, summary: "Changes of the geofences", content: \.revisions),
        .init("decisions", kind: .whole, summary: "Events that match the stored ones", content: \.decisions)
    ) { devices, unprovenDevices, unproven, fixes, lateFixes, revisions, decisions in
        ReplayReport(
            devices: devices, unprovenDevices: unprovenDevices, unproven: unproven, fixes: fixes, lateFixes: lateFixes,
            revisions: revisions, decisions: decisions)
    }
}
