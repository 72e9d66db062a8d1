import Model

// The result of an import as JSON, for the command line and the service.

extension GeofenceFile.Imported {
    /// How many geofences were imported, unchanged, replaced, and repaired.
    package var counts: [JSONValue.Member] {
        [
            .init("imported", JSONValue(count)), .init("unchanged", JSONValue(unchanged)),
            .init("replaced", JSONValue(replaced)), .init("mended", JSONValue(repaired)),
        ]
    }

    /// The changes that the person should see individually.
    package func changes(in language: Language) -> [JSONValue.Member] {
        [
            .init("replacements", .array(replacements.map(\.json))), .init("renamed", .array(renamed.map(\.json))),
            .init("notes", .array(notes.map { $0.json(in: language) })),
        ]
    }
}

extension GeofenceFile.Imported.Renamed {
    package var json: JSONValue { ["name": .string(name), "wanted": .string(wanted), "id": .string(id)] }
}

extension GeofenceFile.Imported.Replacement {
    /// Contains both geofences completely, because the old one is stored nowhere else.
    package var json: JSONValue { ["id": .string(new.id), "old": old.json, "new": new.json] }
}
