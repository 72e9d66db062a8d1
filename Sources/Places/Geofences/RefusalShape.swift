import Model

extension Refusal {
    /// A refusal in the answer to an import of geofences.
    package static let importShape = JSONShape<Refusal>(
        "ImportRefusal", summary: "A geofence that was not imported",
        .init("line", optional: .whole, summary: "The line number, from 1", content: \.line),
        RefusalMember.field, RefusalMember.value, RefusalMember.reason
    ) { line, field, value, reason in Refusal(line: line, field: field, value: value, reason: reason) }

    /// A refusal in the answer to positions.
    package static let positionShape = JSONShape<Refusal>(
        "PositionRefusal", summary: "A position that was not accepted",
        .init("index", optional: .whole, summary: "The index in the list, from 0", content: \.index),
        RefusalMember.field, RefusalMember.value, RefusalMember.reason
    ) { index, field, value, reason in Refusal(line: index.map { $0 + 1 }, field: field, value: value, reason: reason) }

    /// A refusal in the output of commands.
    static let fileShape = JSONShape<Refusal>(
        "FileRefusal", summary: "Something in a file that was not accepted",
        .init("file", optional: .text, summary: "The file", content: \.file),
        .init("line", optional: .whole, summary: "The line number, from 1", content: \.line),
        RefusalMember.field, RefusalMember.value, RefusalMember.reason
    ) { file, line, field, value, reason in Refusal(file: file, line: line, field: field, value: value, reason: reason) }

    /// `{"refused":{…}}`, as commands print it.
    package var json: JSONValue { ["refused": Self.fileShape.encode(self)] }

    private var index: Int? { line.map { $0 - 1 } }
}

/// The members that all shapes of refusals have.
private enum RefusalMember {
    static let field = JSONMember<Refusal, String>(
        "field", kind: .text, summary: "The field that could not be used", content: \.field)
    static let value = JSONMember<Refusal, String>("value", kind: .text, summary: "The value of the field", content: \.value)
    static let reason = JSONMember<Refusal, Phrase>("reason", summary: "Why it could not be used", content: \.reason)
}
