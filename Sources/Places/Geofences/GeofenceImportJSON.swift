import Model

// The result of an import as JSON, for the command line and the service.

extension GeofenceFile.Imported: JSONDescribed {
    package static let shape = JSONShape<GeofenceFile.Imported>(
        "ImportAnswer", summary: "The result of an import",
        .init("imported", kind: .whole, summary: "The number of imported geofences", content: \.count),
        .init(
            "unchanged", kind: .whole, summary: "The number of those that already exist without a difference",
            content: \.unchanged),
        .init("replaced", kind: .whole, summary: "The number of those that replaced another geofence", content: \.replaced),
        .init(
            "mended", kind: .whole, summary: "The number of those whose outline crossed itself and was fixed",
            content: \.repaired),
        .init(
            "refused", kind: .list(of: .object(of: Refusal.importShape)),
            summary: "The first geofences that were not imported, \(BoundedList<Refusal>.maxEntries) at most",
            content: \.listedRefusals),
        .init("refusedCount", kind: .whole, summary: "The number of geofences that were not imported", content: \.refusals.total),
        .init(
            "replacements", kind: .list(of: .object),
            summary: "The first geofences that onConflict=replace replaced, \(BoundedList<Replacement>.maxEntries) at most",
            content: \.listedReplacements),
        .init(
            "replacementCount", kind: .whole, summary: "The number of geofences that onConflict=replace replaced",
            content: \.replacements.total),
        .init(
            "renamed", kind: .list(of: .object),
            summary: "The first geofences that got a free id, because another has their name or the id derived from it; "
                + "\(BoundedList<Renamed>.maxEntries) at most",
            content: \.listedRenamed),
        .init("renamedCount", kind: .whole, summary: "The number of geofences that got a free id", content: \.renamed.total),
        .init(
            "notes", kind: .list(of: .object),
            summary: "How ambiguous outlines were read, where the geofences are, and which of them are far from all others; "
                + "\(BoundedList<GeofenceNote>.maxEntries) at most",
            content: \.listedNotes),
        .init("noteCount", kind: .whole, summary: "The number of all notes", content: \.notes.total),
        .init(
            "remarks", optional: .list(of: .object(of: InputRemark.shape)),
            summary: "How the file was read, where it does not state it",
            content: \.inputRemarks),
        .init(
            "events", kind: .list(of: .event),
            summary:
                "The resulting events, \(BoundedList<Event>.maxEvents) at most. Empty when the service lacks memory for the list",
            content: \.listedEvents),
        .init("eventCount", kind: .whole, summary: "The number of all resulting events", content: \.events.total)
    ) {
        count, unchanged, replaced, repaired, refusals, refusedCount, replacements, replacementCount, renamed, renamedCount,
        notes,
        noteCount, remarks, events, eventCount in
        var imported = GeofenceFile.Imported()
        imported.count = count
        imported.unchanged = unchanged
        imported.replaced = replaced
        imported.repaired = repaired
        imported.refusals = BoundedList(refusals, total: refusedCount)
        imported.replacements = BoundedList(replacements, total: replacementCount)
        imported.renamed = BoundedList(renamed, total: renamedCount)
        imported.notes = BoundedList(notes, total: noteCount)
        imported.remarks = (remarks ?? []).map(\.reason)
        imported.events = BoundedList(events, total: eventCount, limit: BoundedList<Event>.maxEvents)
        return imported
    }

    private var listedRefusals: [Refusal] { Array(refusals) }
    private var listedNotes: [GeofenceNote] { Array(notes) }
    private var listedReplacements: [Replacement] { Array(replacements) }
    private var listedRenamed: [Renamed] { Array(renamed) }
    private var listedEvents: [Event] { Array(events) }

    /// The same with the numbers of events and replacements instead of the lists, which can take megabytes.
    package var shortened: Self {
        var short = self
        short.replacements = BoundedList([], total: replacements.total)
        short.events = BoundedList([], total: events.total)
        return short
    }

    /// The remarks as the answer has them; nil for none.
    private var inputRemarks: [InputRemark]? { remarks.isEmpty ? nil : remarks.map { InputRemark(reason: $0) } }

    /// The result of one file as a command prints it: how many geofences were refused, and no events.
    package func summary(ofFile path: String, in language: Language) -> JSONValue {
        let members = (json(in: language).members ?? []).compactMap { member -> JSONValue.Member? in
            switch member.name {
            case "refused": .init("refused", JSONValue(refusals.total))
            case "refusedCount", "events", "eventCount": nil
            default: member
            }
        }
        return .object([.init("file", .string(path))] + members)
    }
}

extension GeofenceFile.Imported.Renamed: JSONDescribed {
    package static let shape = JSONShape<GeofenceFile.Imported.Renamed>(
        "RenamedGeofence", summary: "A geofence whose id is not derived from its name, because that id is taken",
        .init("name", kind: .text, summary: "The geofence's name", content: \.name),
        .init("wanted", kind: .text, summary: "The id that is derived from the name", content: \.wanted),
        .init("id", kind: .text, summary: "The id that the geofence received", content: \.id)
    ) { name, wanted, id in .init(name: name, wanted: wanted, id: id) }
}

extension GeofenceFile.Imported.Replacement: JSONDescribed {
    /// Contains both geofences completely, because the old one is stored nowhere else.
    package static let shape = JSONShape<GeofenceFile.Imported.Replacement>(
        "ReplacedGeofence", summary: "A geofence that replaced another one",
        .init("id", kind: .text, summary: "The id of both", content: \.new.id),
        .init("old", kind: .geofence, content: \.old),
        .init("new", kind: .geofence, content: \.new)
    ) { _, old, new in .init(old: old, new: new) }
}

extension JSONKind<Geofence> {
    /// The decoder also reads what a person writes.
    static var geofence: Self {
        .object(named: "Geofence", encode: \.json) { (json) throws(JSONMismatch) in
            do throws(Problem) {
                return try Geofence(json: json, id: json["id"]?.string ?? "")
            } catch {
                throw JSONMismatch(member: "geofence", expected: .object)
            }
        }
    }
}
