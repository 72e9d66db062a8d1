import Model

extension TimesWithoutZone {
    /// An element of the list in JSON.
    package static let shape = JSONShape<Count>(
        "TimesWithoutZone", summary: "How many times had no offset from UTC, and were read in this time zone",
        .init("timeZone", kind: .text, summary: "The name of the zone in the IANA database", content: \.timeZone),
        .init("count", kind: .whole, summary: "The number of times", content: \.count)
    ) { zone, count in Count(timeZone: zone, count: count) }

    /// The list of all zones; nil if every time had an offset.
    package var json: JSONValue? { counts.isEmpty ? nil : .array(counts.map { Self.shape.encode($0) }) }
}
