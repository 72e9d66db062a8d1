import Model

// The result of an import as JSON, for the command line and the service.

extension GeofenceFile.Imported: JSONDescribed {
    package static let shape = JSONShape<GeofenceFile.Imported>(
        "ImportAnswer", summary: "What became of a file",
        .init("imported", kind: .whole, summary: "Geofences that were taken", content: \.count),
        .init("unchanged", kind: .whole, summary: "Of these, there already as they are", content: \.unchanged),
        .init("replaced", kind: .whole, summary: "Of these, in the place of another one", content: \.replaced),
        .init("mended", kind: .whole, summary: "Of these, with an outline that crossed itself", content: \.repaired),
        .init("refused", kind: .list(of: .object(of: Refusal.importShape)), summary: "The others", content: \.refusals),
        .init("replacements", kind: .list(of: .object), summary: "Replaced by onConflict=replace", content: \.replacements),
        .init("renamed", kind: .list(of: .object), summary: "Given a free id by onConflict=rename", content: \.renamed),
        .init(
            "notes", kind: .list(of: .object), summary: "How outlines were read that can be read in two ways", content: \.notes),
        .init("events", kind: .list(of: .event), summary: "What followed", content: \.events)
    ) { count, unchanged, replaced, repaired, refusals, replacements, renamed, notes, events in
        var imported = GeofenceFile.Imported()
        imported.count = count
        imported.unchanged = unchanged
        imported.replaced = replaced
        imported.repaired = repaired
        imported.refusals = refusals
        imported.replacements = replacements
        imported.renamed = renamed
        imported.notes = notes
        imported.events = events
        return imported
    }

    /// The result of one file as a command prints it: how many geofences were refused, and no events.
    package func summary(ofFile path: String, in language: Language) -> JSONValue {
        let members = (json(in: language).members ?? []).compactMap { member -> JSONValue.Member? in
            switch member.name {
            case "refused": .init("refused", JSONValue(refusals.count))
            case "events": nil
            default: member
            }
        }
        return .object([.init("file", .string(path))] + members)
    }
}

extension GeofenceFile.Imported.Renamed: JSONDescribed {
    package static let shape = JSONShape<GeofenceFile.Imported.Renamed>(
        "RenamedGeofence", summary: "A geofence with another id than its name makes",
        .init("name", kind: .text, summary: "For people", content: \.name),
        .init("wanted", kind: .text, summary: "The id that is made of the name", content: \.wanted),
        .init("id", kind: .text, summary: "The id that it got", content: \.id)
    ) { name, wanted, id in .init(name: name, wanted: wanted, id: id) }
}

extension GeofenceFile.Imported.Replacement: JSONDescribed {
    /// Contains both geofences completely, because the old one is stored nowhere else.
    package static let shape = JSONShape<GeofenceFile.Imported.Replacement>(
        "ReplacedGeofence", summary: "A geofence in the place of another one",
        .init("id", kind: .text, summary: "Of both", content: \.new.id),
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
