import Model
import Store
import Timeline

extension StoreCheck: JSONDescribed {
    package static let shape = JSONShape<StoreCheck>(
        "What a check of everything that is kept has found",
        .init("isSound", kind: .flag, summary: "Whether no flaw was found", content: \.isSound),
        .init("geofences", kind: .whole, summary: "How many there are", content: \.totals.geofences),
        .init("devices", kind: .whole, summary: "How many there are", content: \.totals.devices),
        .init("fixes", kind: .whole, summary: "How many positions there are", content: \.totals.fixes),
        .init("events", kind: .whole, summary: "How many there are", content: \.totals.events),
        .init("store", optional: .object, summary: "Which store it is", content: \.totals.identity),
        .init("openVisits", kind: .whole, summary: "Visits that have not ended", content: \.openVisits),
        .init("phones", kind: .whole, summary: "Simulated phones", content: \.phones),
        .init("replay", kind: .object, summary: "What came of judging all positions anew", content: \.replay),
        .init("flawCount", kind: .whole, summary: "Flaws that were found", content: \.flaws.count),
        .init("flaws", kind: .list(of: .object), summary: "The first hundred of them", content: \.flaws.first)
    ) { _, geofences, devices, fixes, events, store, openVisits, phones, replay, flawCount, flaws in
        var check = StoreCheck()
        check.totals = .init(geofences: geofences, devices: devices, fixes: fixes, events: events, identity: store)
        (check.openVisits, check.phones, check.replay) = (openVisits, phones, replay)
        check.flaws = StoreFlaws(first: flaws, count: flawCount)
        return check
    }
}

extension StoreFlaw: JSONDescribed {
    package static let shape = JSONShape<StoreFlaw>(
        "Something that cannot be right",
        .init("kind", kind: .word, summary: "Of what kind it is", content: \.kind),
        .init("details", kind: .text, summary: "Where it is", content: \.details)
    ) { kind, details in StoreFlaw(kind, details) }
}

extension ReplayReport: JSONDescribed {
    package static let shape = JSONShape<ReplayReport>(
        "What came of judging all positions anew",
        .init("devices", kind: .whole, summary: "Devices that came out as stored", content: \.devices),
        .init("unprovenDevices", kind: .whole, summary: "Devices for which that cannot be proved", content: \.unprovenDevices),
        .init("unproven", kind: unprovenKind, summary: "Why: the number of devices for each reason", content: \.unproven),
        .init("fixes", kind: .whole, summary: "Positions that were judged", content: \.fixes),
        .init("lateFixes", kind: .whole, summary: "Late positions that wait for a replay", content: \.lateFixes),
        .init("revisions", kind: .whole, summary: "Changes of the geofences", content: \.revisions),
        .init("decisions", kind: .whole, summary: "Events that came out as stored", content: \.decisions)
    ) { devices, unprovenDevices, unproven, fixes, lateFixes, revisions, decisions in
        ReplayReport(
            devices: devices, unprovenDevices: unprovenDevices, unproven: unproven, fixes: fixes, lateFixes: lateFixes,
            revisions: revisions, decisions: decisions)
    }

    /// An object with a number of devices for each reason.
    private static let unprovenKind = JSONKind<[(reason: String, devices: Int)]>(
        expected: "object",
        schema: { summary in
            ["type": "object", "description": .string(summary), "additionalProperties": ["type": "integer"]]
        },
        encode: { .object($0.map { .init($0.reason, JSONValue($0.devices)) }) },
        decode: { json in
            json.members?.compactMap { member in
                member.value.double.flatMap { Int(exactly: $0) }.map { (member.name, $0) }
            }
        })
}
