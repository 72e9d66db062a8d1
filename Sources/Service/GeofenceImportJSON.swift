import Model

// What an import came to, as the command line and the service write it.

extension GeofenceFile.Imported {
    /// How many geofences became what.
    public var counts: [JSONValue.Member] {
        [
            .init("imported", JSONValue(count)), .init("unchanged", JSONValue(unchanged)),
            .init("replaced", JSONValue(replaced)), .init("mended", JSONValue(mended)),
        ]
    }

    /// The geofences that a person should hear of one by one.
    public func changes(in language: Language) -> [JSONValue.Member] {
        [
            .init("replacements", .array(replacements.map(\.json))), .init("renamed", .array(renamed.map(\.json))),
            .init("notes", .array(notes.map { $0.json(in: language) })),
        ]
    }
}

extension GeofenceFile.Imported.Renamed {
    public var json: JSONValue { ["name": .string(name), "wanted": .string(wanted), "id": .string(id)] }
}

extension GeofenceFile.Imported.Replacement {
    /// Both whole: the old one is nowhere else any more.
    public var json: JSONValue { ["id": .string(new.id), "old": old.json, "new": new.json] }
}
