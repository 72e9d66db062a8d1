extension JSONValue {
    /// The value with the changes of a merge patch (RFC 7396): `null` removes a member, objects are merged, and any other value replaces
    /// the old one.
    package func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members = self.members ?? []
        for change in changes {
            let place = members.firstIndex { $0.name == change.name }
            if change.value == .null {
                members.removeAll { $0.name == change.name }
            } else if let place {
                members[place].value = members[place].value.merged(with: change.value)
            } else {
                // Merging into null removes null members from an object.
                members.append(.init(change.name, JSONValue.null.merged(with: change.value)))
            }
        }
        return .object(members)
    }

    /// The object with the changes that a request contains; see `merged(with:)`.
    ///
    /// - Throws: `Problem.validationFailed` if the changes are not an object.
    package func patched(with changes: JSONValue) throws(Problem) -> JSONValue {
        guard changes.members != nil else {
            throw .validationFailed(
                field: "body", value: String(changes.description.prefix(60)), reason: .notAnObject, expected: .objectOfChanges)
        }
        return merged(with: changes)
    }
}
