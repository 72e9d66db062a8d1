import Model

extension SinkKind {
    /// A file on the service's machine, with one JSON object per line.
    package static let file = SinkKind(
        "file", .file, title: Phrase("File"), place: "PATH", about: "one JSON object per line", in: "path",
        needs: [("path", Phrase("the path of a file"))],
        flaw: { pathFlaw($0.path ?? "", field: "path") },
        content: .events { target, values, _ in .line(values.json.description, path: target.path ?? "") })

    static func pathFlaw(_ path: String, field: String) -> Problem? {
        if path.hasPrefix("/"), !path.utf8.contains(0) { return nil }
        return .validationFailed(
            field: field, value: path, reason: path.isEmpty ? .empty : Phrase("it is not an absolute path"),
            expected: Phrase("a path that starts with /"))
    }
}
