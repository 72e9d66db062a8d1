import Model
import Places
import Store

extension Writer {
    /// Changes the values of a group, and lets devices inherit them a few at a time, between which the writer does other work. If that is
    /// interrupted, the same change again or the next start completes it.
    ///
    /// - Parameters:
    ///   - patch: A merge patch (RFC 7396) of the group's values.
    ///   - preview: What `previewGroup` has returned.
    package func patchGroup(
        _ name: String, with patch: JSONValue, preview: GroupEdit
    ) async throws(Problem) -> GroupEdit {
        var edit = preview.begun
        edit.group.defaults = try await perform { service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.beginGroupPatch(name, with: patch, in: transaction)
            }
        }
        var next: DeviceKey? = DeviceKey(0)
        while let last = next {
            let step = try await perform { service throws(Problem) in
                try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try service.continueGroupPatch(name, after: last, in: transaction)
                }
            }
            edit.add(step)
            next = step.next
        }
        return edit
    }
}
