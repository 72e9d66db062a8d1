import Core
import Model
import Store

/// One change of the same fields of several devices.
package struct DevicePatch: Hashable, Sendable {
    /// The devices to change.
    package enum Selection: Hashable, Sendable {
        case devices([String])
        case group(String)
        case all
    }

    var selection: Selection
    /// A merge patch (RFC 7396) of each device.
    var patch: JSONValue

    package init(_ selection: Selection, patch: JSONValue) {
        self.selection = selection
        self.patch = patch
    }

    /// Reads `{"devices":[…],"patch":{…}}`; instead of `devices`, `group` or `all` selects the devices.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    package init(json: JSONValue) throws(Problem) {
        let example = Phrase.like(#"{"group":"family","patch":{"silentAfter":7200}}"#)
        var fields = try JSONFields(json, of: .deviceChange)
        let isForIDs = fields.value("devices") != nil
        let ids = try fields.texts("devices")
        let group = try fields.text("group")
        let isForAll = try fields.flag("all") ?? false
        let patch = fields.value("patch")
        try fields.finish()
        guard let patch, let members = patch.members, !members.isEmpty else {
            throw .validationFailed(
                field: "patch", value: patch.map { String($0.description.prefix(60)) } ?? "",
                reason: patch == nil ? .missing : patch?.members == nil ? .notAnObject : .empty, expected: .objectOfChanges)
        }
        switch (isForIDs, group, isForAll) {
        case (true, nil, false):
            if ids.isEmpty { throw .validationFailed(field: "devices", value: "", reason: .empty, expected: example) }
            selection = .devices(ids)
        case (false, let group?, false): selection = .group(group)
        case (false, nil, true): selection = .all
        case (false, nil, false): throw .missing("devices", example)
        default:
            let given = [isForIDs ? "devices" : nil, group == nil ? nil : "group", isForAll ? "all" : nil].compactMap(\.self)
            throw .validationFailed(
                field: given[1], value: "", reason: .exclude(given[0], given[1]), expected: example)
        }
        self.patch = patch
    }

    /// Whether the change may delete positions. In another group, positions may be kept for a shorter time.
    package var changesRetention: Bool { patch["keepPositions"] != nil || patch["groups"] != nil }

    package var json: JSONValue {
        switch selection {
        case .devices(let ids): ["devices": .array(ids.map(JSONValue.string)), "patch": patch]
        case .group(let name): ["group": .string(name), "patch": patch]
        case .all: ["all": true, "patch": patch]
        }
    }
}

extension Queries {
    /// What a change of several devices would do, with the numbers of positions that it would delete.
    ///
    /// - Parameter condition: The condition that each device must meet.
    /// - Throws: `Problem.notFound` if there is no such group.
    /// - Complexity: O(n) for n devices. Of those that get another `keepPositions`, also O(m) for their m positions.
    package func previewPatch(_ change: DevicePatch, _ condition: EditCondition = .always) throws(Problem) -> DevicePatchResult {
        var (result, changed) = try plan(change, condition)
        for (index, old, new) in changed {
            guard let seconds = new.keepPositions, seconds.isFinite, seconds != old.keepPositions else { continue }
            result.devices[index].deletion = try countDeletable(ofDevice: new.id, keeping: seconds)
        }
        return result
    }

    /// The outcome for each device, and the devices that change, with their indices in the result.
    ///
    /// - Parameter part: The ids of the devices to examine, which were selected before; nil for all. Those that have left the
    ///   selected group are left out.
    fileprivate func plan(
        _ change: DevicePatch, _ condition: EditCondition, part: [String]? = nil
    ) throws(Problem) -> (result: DevicePatchResult, changed: [(index: Int, old: Device, new: Device)]) {
        var result = DevicePatchResult(devices: [], isApplied: false)
        var changed: [(index: Int, old: Device, new: Device)] = []
        var refused = 0
        let ids = if let part { part } else { try ids(of: change.selection) }
        for id in ids {
            do throws(Problem) {
                let known = try store.device(id: id)?.device
                if case .group(let name) = change.selection, known?.groups.contains(name) != true { continue }
                guard let old = known else {
                    // A search for similar ids takes as long as the change of a device.
                    throw refused < DevicePatchResult.maxProblems
                        ? try noDevice(id) : .notFound(kind: .device, id: id, similar: [])
                }
                try condition.check(kind: .device, id: id, tag: old.json.tag)
                let new = try inheriting(old.patched(with: change.patch))
                try new.checkValues()
                if old == new {
                    result.devices.append(.init(id: id, outcome: .unchanged))
                } else {
                    changed.append((result.devices.count, old, new))
                    result.devices.append(.init(id: id, outcome: .changed, changes: new.json.changes(from: old.json)))
                }
            } catch {
                switch error {
                case .notFound, .validationFailed, .preconditionFailed:
                    refused += 1
                    let problem = refused <= DevicePatchResult.maxProblems ? error : nil
                    result.devices.append(.init(id: id, outcome: .refused, problem: problem))
                default: throw error
                }
            }
        }
        return (result, changed)
    }

    /// The ids of the selected devices, sorted, each once.
    private func ids(of selection: DevicePatch.Selection) throws(Problem) -> [String] {
        switch selection {
        case .devices(let ids): Set(ids).sorted()
        case .group(let name): try devices(inGroup: name).map(\.id)
        case .all: try devices().map(\.id)
        }
    }
}

extension ServiceWriter {
    /// Changes the devices that are still selected and can be changed, in one transaction.
    package func patchEach(
        of ids: [String], _ change: DevicePatch, _ condition: EditCondition
    ) throws(Problem) -> DevicePatchResult {
        var (result, changed) = try plan(change, condition, part: ids)
        result.events += try save(changed.map(\.new))
        return result
    }
}

extension Device {
    /// The device with the changes of a merge patch (RFC 7396).
    package func patched(with patch: JSONValue) throws(Problem) -> Device {
        // An inherited value becomes the device's own only if the patch contains it.
        let inherited = ["inherited"] + (json["inherited"]?.members?.map(\.name) ?? [])
        let members = (json.members ?? []).filter { !inherited.contains($0.name) }
        return try Device(json: JSONValue.object(members).patched(with: patch), id: id)
    }
}

extension JSONValue {
    /// The members of a device that differ from those of an earlier version; null for removed ones. A value that becomes the device's own, or
    /// no longer is, also differs if it stays the same.
    fileprivate func changes(from old: JSONValue) -> [Member] {
        let mine = (members ?? []).filter { $0.name != "inherited" }
        let removed = (old.members ?? []).filter { member in
            member.name != "inherited" && !mine.contains { $0.name == member.name }
        }
        let changed = mine.filter { member in
            let (isInherited, wasInherited) = (self["inherited"]?[member.name] != nil, old["inherited"]?[member.name] != nil)
            return old[member.name] != member.value || isInherited != wasInherited
        }
        return changed + removed.map { .init($0.name, .null) }
    }
}
